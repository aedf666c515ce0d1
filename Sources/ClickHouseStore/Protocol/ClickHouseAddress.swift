/// Where a ClickHouse server answers HTTP, as which user, and the database that is used.
///
/// As text: `clickhouse://[USER@]HOST[:PORT]/DATABASE`, or `clickhouse+https://…` for TLS. Without a port it is that of
/// ClickHouse's HTTP interface, 8123, or 8443 with TLS.
public struct ClickHouseAddress: Sendable, Hashable, CustomStringConvertible {
  /// The server's name or IP address, an IPv6 address without brackets.
  let host: String
  let port: Int
  let isSecure: Bool
  /// The user; nil for the server's `default`.
  let user: String?
  public let database: String

  /// Why a text is no address, as a sentence.
  public struct Invalid: Error, Sendable, Equatable, CustomStringConvertible {
    public let description: String
  }

  public init(_ text: String) throws(Invalid) {
    func invalid(_ reason: String) -> Invalid {
      Invalid(
        description: "\(reason); expected clickhouse://[USER@]HOST[:PORT]/DATABASE, with TLS clickhouse+https://…")
    }
    guard let scheme = Self.schemes.first(where: { text.hasPrefix($0.text) }) else {
      throw invalid("the address of a ClickHouse server must begin with clickhouse://")
    }
    isSecure = scheme.isSecure
    let parts = text.dropFirst(scheme.text.count).split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, Self.isName(parts[1]) else {
      throw invalid("after the host follows / and the name of a database, of letters, digits and _")
    }
    database = String(parts[1])
    var place = parts[0]
    if let at = place.lastIndex(of: "@") {
      guard !place[..<at].contains(":") else {
        throw Invalid(
          description: "a password does not belong into the address, where logs and lists of processes show it")
      }
      guard Self.isUser(place[..<at]) else { throw invalid("the user's name is empty or has other than visible ASCII") }
      user = String(place[..<at])
      place = place[place.index(after: at)...]
    } else {
      user = nil
    }
    guard let (host, port) = Self.hostAndPort(place) else { throw invalid("\(place) is no host with a port") }
    self.host = host
    self.port = port ?? scheme.port
  }

  /// The address as text, which `init` reads. It holds no secret.
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
