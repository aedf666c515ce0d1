/// Reads the options of a channel of kind `email`.
enum MailChannelReader {
  static func read(_ options: inout OptionReader) -> Channel.Mail? {
    let encryption = options.choice("encryption", Channel.Mail.Encryption.self) ?? .startTLS
    let port = options.integer("port", in: 1...65535) ?? encryption.port
    let login = ChannelReader.login(&options)
    if login != nil, encryption == .none {
      options.problem(nil, "a password is sent encrypted only: set encryption to starttls or tls")
    }
    let host = host(&options)
    let from = addresses("from", &options)
    let to = addresses("to", &options)
    guard let host, let to, let sender = from?.first else { return nil }
    if from?.count != 1 { options.problem(nil, "expected one address for from") }
    return Channel.Mail(host: host, port: port, encryption: encryption, login: login, from: sender, to: to)
  }

  private static func host(_ options: inout OptionReader) -> String? {
    let before = options.problems.count
    guard let host = options.text("host") else {
      if options.problems.count == before { options.missing("host") }
      return nil
    }
    // A host in an address: nothing in it may begin another part of one.
    if host.utf8.count <= 255, MailAddress("a@\(host)") != nil { return host }
    options.problem(nil, "expected the name or IPv4 address of a relay for host, found \"\(host.oneLine.cut(60))\"")
    return nil
  }

  private static func addresses(_ name: String, _ options: inout OptionReader) -> [MailAddress]? {
    let before = options.problems.count
    guard let texts = options.texts(name) else {
      if options.problems.count == before { options.missing(name) }
      return nil
    }
    let addresses = texts.compactMap(MailAddress.init)
    if addresses.count == texts.count { return addresses }
    let wrong = texts.first { MailAddress($0) == nil } ?? ""
    options.problem(
      nil, "expected an address such as oncall@example.com for \(name), found \"\(wrong.oneLine.cut(80))\"")
    return nil
  }
}
