/// The address of a ClickHouse server's HTTP interface, with the user and the database.
///
/// As text: `clickhouse://[USER@]HOST[:PORT]/DATABASE`, or `clickhouse+https://…` for TLS. The default port is that of
/// ClickHouse's HTTP interface, 8123, or 8443 with TLS.
public struct ClickHouseAddress: Sendable, Hashable, CustomStringConvertible {
  /// The server's name or IP address; an IPv6 address has no brackets.
  let host: String
  let port: Int
  let isSecure: Bool
  /// The user; nil for the server's user `default`.
  let user: String?
  public let database: String

  /// The reason why a text is not an address, as a sentence.
  public struct Invalid: Error, Sendable, Equatable, CustomStringConvertible {
    public let description: String
  }

  public init(_ text: String) throws(Invalid) {
    func invalid(_ reason: String) -> Invalid {
      Invalid(
        description: "\(reason); expected clickhouse://[USER@]HOST[:PORT]/DATABASE, with TLS clickhouse+https://…")
    }
    guard let scheme = Self.schemes.first(where: { text.hasPrefix($0.text) }) else {
      throw invalid("a ClickHouse address must begin with clickhouse://")
    }
    isSecure = scheme.isSecure
    let parts = text.dropFirst(scheme.text.count).split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, Self.isName(parts[1]) else {
      throw invalid("the host must be followed by / and the name of a database of letters, digits and _")
    }
    database = String(parts[1])
    var place = parts[0]
    if let at = place.lastIndex(of: "@") {
      guard !place[..<at].contains(":") else {
        throw Invalid(
          description: "the address must not contain a password, because logs and process lists show it")
      }
      guard Self.isUser(place[..<at]) else { throw invalid("the user name is empty or is not visible ASCII") }
      user = String(place[..<at])
      place = place[place.index(after: at)...]
    } else {
      user = nil
    }
    guard let (host, port) = Self.hostAndPort(place) else { throw invalid("\(place) is not HOST or HOST:PORT") }
    self.host = host
    self.port = port ?? scheme.port
  }

  /// The address as text, which `init` parses. It contains no secret.
  public var description: String {
    let user = user.map { "\($0)@" } ?? ""
    return "\(isSecure ? Self.schemes[1].text : Self.schemes[0].text)\(user)\(authority)/\(database)"
  }

  /// The URL of the server's HTTP interface.
  var url: String { "\(isSecure ? "https" : "http")://\(authority)/" }

  private var authority: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

  private static let schemes = [
    (text: "clickhouse://", isSecure: false, port: 8123), (text: "clickhouse+https://", isSecure: true, port: 8443),
  ]

  private static func hostAndPort(_ text: Substring) -> (String, Int?)? {
    var (host, rest) = (text.prefix { $0 != ":" }, text.drop { $0 != ":" })
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { return nil }
      host = text[text.index(after: text.startIndex)..<end]
      rest = text[text.index(after: end)...]
      guard !host.isEmpty, host.allSatisfy({ $0.isASCII && ($0.isHexDigit || $0 == ":" || $0 == ".") }) else {
        return nil
      }
    } else {
      guard !host.isEmpty, host.utf8.allSatisfy(Self.isHostByte) else { return nil }
    }
    if rest.isEmpty { return (String(host), nil) }
    guard rest.first == ":", rest.dropFirst().utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let port = Int(rest.dropFirst()), (1...65535).contains(port)
    else { return nil }
    return (String(host), port)
  }

  private static func isHostByte(_ byte: UInt8) -> Bool {
    isNameByte(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
  }

  private static func isName(_ text: Substring) -> Bool { !text.isEmpty && text.utf8.allSatisfy(isNameByte) }

  private static func isUser(_ text: Substring) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "/") }
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
