/// Reads the options of one channel and collects the errors in `OptionReader`.
enum ChannelReader {
  private enum Kind: String, CaseIterable {
    case webhook, slack, discord, teams, pagerduty, alertmanager, email
  }

  static func read(_ name: String, _ options: inout OptionReader) -> Channel? {
    guard options.problems.isEmpty else { return nil }
    guard let kind = options.choice("kind", Kind.self) else {
      if options.problems.isEmpty {
        options.missing("kind: one of \(Kind.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      return nil
    }
    let network = network(&options, kind)
    let read = read(kind, &options, network)
    options.finish()
    return read.map { Channel(name: name, kind: $0, network: network) }
  }

  private static func read(
    _ kind: Kind, _ options: inout OptionReader, _ network: Channel.Network
  ) -> Channel.Kind? {
    switch kind {
    case .webhook: webhook(&options, network)
    case .slack: address(&options, isSecret: true, network).map(Channel.Kind.slack)
    case .discord: address(&options, isSecret: true, network).map(Channel.Kind.discord)
    case .teams: address(&options, isSecret: true, network).map(Channel.Kind.teams)
    case .pagerduty: pagerDuty(&options, network)
    case .alertmanager: alertmanager(&options, network)
    case .email: MailChannelReader.read(&options).map(Channel.Kind.mail)
    }
  }

  private static func network(_ options: inout OptionReader, _ kind: Kind) -> Channel.Network {
    var network = Channel.Network()
    network.timeout = options.duration("timeout", in: 1...60) ?? network.timeout
    network.caFile = options.text("ca-file")
    // A relay for mail is the operator's own choice, and HTTP's proxies do not carry mail.
    guard kind != .email else { return network }
    network.allowsPrivate = options.flag("allow-private") ?? false
    network.proxy = options.text("proxy")
    return network
  }

  private static func address(
    _ options: inout OptionReader, isSecret: Bool, _ network: Channel.Network
  ) -> Channel.Address? {
    let before = options.problems.count
    guard let address = options.address("url", isSecret: isSecret) else {
      if options.problems.count == before { options.missing("url") }
      return nil
    }
    if case .plain(let text) = address,
      let problem = WebAddress.problem(text, allowsPrivate: network.allowsPrivate)
    {
      options.problem(nil, "url: \(problem)")
      return nil
    }
    return address
  }

  private static func webhook(_ options: inout OptionReader, _ network: Channel.Network) -> Channel.Kind? {
    let key = options.secret("secret")
    let token = options.secret("token")
    return address(&options, isSecret: false, network).map {
      .webhook(Channel.Webhook(address: $0, signingKey: key, token: token))
    }
  }

  private static func pagerDuty(_ options: inout OptionReader, _ network: Channel.Network) -> Channel.Kind? {
    let before = options.problems.count
    let key = options.secret("routing-key")
    if key == nil, options.problems.count == before { options.missing("routing-key") }
    let text = options.text("url") ?? Channel.PagerDuty.defaultAddress
    if let problem = WebAddress.problem(text, allowsPrivate: network.allowsPrivate) {
      options.problem(nil, "url: \(problem)")
    }
    return key.map { .pagerDuty(Channel.PagerDuty(routingKey: $0, address: .plain(text))) }
  }

  private static func alertmanager(_ options: inout OptionReader, _ network: Channel.Network) -> Channel.Kind? {
    let labels = options.table("labels") ?? [:]
    if let wrong = labels.keys.sorted().first(where: { !isLabel($0) }) {
      options.problem(nil, "\"\(wrong.oneLine.cut(60))\" cannot be a label: letters, digits and _, no digit first")
    }
    let lasting = options.duration("lasting", in: 3600...31_536_000) ?? Channel.Alertmanager.defaultLasting
    let token = options.secret("token")
    let login = login(&options)
    return address(&options, isSecret: false, network).map {
      .alertmanager(
        Channel.Alertmanager(address: $0, labels: labels, lasting: lasting, token: token, login: login))
    }
  }

  /// `user` and `password`, both or none.
  static func login(_ options: inout OptionReader) -> Channel.Login? {
    let before = options.problems.count
    let user = options.text("user")
    let password = options.secret("password")
    if let user, let password { return Channel.Login(user: user, password: password) }
    if user != nil || password != nil, options.problems.count == before {
      options.missing("user and password, both or neither")
    }
    return nil
  }

  private static func isLabel(_ name: String) -> Bool {
    guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return false }
    return name.unicodeScalars.allSatisfy {
      $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil || $0 == "_")
    }
      && !["alertname", "app", "incident", "environment"].contains(name)
  }
}

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
    // The host becomes part of a URL: no character in it may start another part.
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
