/// Reads the options of one channel and collects the errors in `OptionReader`.
enum ChannelReader {
  static func read(_ name: String, _ options: inout OptionReader) -> Channel? {
    guard options.problems.isEmpty else { return nil }
    let names = ChannelKinds.all.map { $0.name }
    guard let choice = options.choice("kind", among: names),
      let kind = ChannelKinds.all.first(where: { $0.name == choice })
    else {
      if options.problems.isEmpty { options.missing("kind: one of \(names.joined(separator: ", "))") }
      return nil
    }
    let network = network(&options, isHTTP: kind.isHTTP)
    let read: (any ChannelKind)? = kind.read(&options, network)
    options.finish()
    return read.map { Channel(name: name, kind: $0, network: network) }
  }

  private static func network(_ options: inout OptionReader, isHTTP: Bool) -> Channel.Network {
    var network = Channel.Network()
    network.timeout = options.duration("timeout", in: 1...60) ?? network.timeout
    network.caFile = options.text("ca-file")
    // A mail relay is the operator's own choice, and HTTP proxies do not carry mail.
    guard isHTTP else { return network }
    network.allowsPrivate = options.flag("allow-private") ?? false
    network.proxy = options.text("proxy")
    return network
  }
}

// Options that several kinds of channels share.
extension OptionReader {
  /// The required option `url`.
  ///
  /// - Parameter isSecret: true if the address must be stored outside the settings.
  mutating func webAddress(isSecret: Bool, _ network: Channel.Network) -> Channel.Address? {
    let before = problems.count
    guard let address = address("url", isSecret: isSecret) else {
      if problems.count == before { missing("url") }
      return nil
    }
    if case .plain(let text) = address,
      let problem = WebAddress.problem(text, allowsPrivate: network.allowsPrivate)
    {
      self.problem(nil, "url: \(problem)")
      return nil
    }
    return address
  }

  /// The options `user` and `password`: both or neither.
  mutating func login() -> Channel.Login? {
    let before = problems.count
    let user = text("user")
    let password = secret("password")
    if let user, let password { return Channel.Login(user: user, password: password) }
    if user != nil || password != nil, problems.count == before {
      missing("user and password, both or neither")
    }
    return nil
  }
}
