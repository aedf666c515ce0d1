/// The reverse proxies whose forwarding headers are trusted, to find the client's address.
///
/// Each proxy appends the address of its peer to `X-Forwarded-For` (or to `Forwarded`, RFC 7239, without that header).
/// Read from the end, the first address that is not a trusted proxy is the client; addresses before it may be forged.
/// The proxy nearest to this server must write `X-Forwarded-For` or remove the header that a client sends.
public struct TrustedProxies: Sendable {
  private let ranges: [ClientAddress.Range]

  /// Creates a list of trusted address ranges.
  public init(_ ranges: [ClientAddress.Range] = []) { self.ranges = ranges }

  /// Whether `address` is in one of the ranges.
  func contains(_ address: ClientAddress) -> Bool { ranges.contains { $0.contains(address) } }

  /// The address of the client that sent the request, behind any trusted proxies.
  func client(of head: borrowing RequestHead) -> ClientAddress? {
    guard let peer = head.peer, contains(peer) else { return head.peer }
    return client(behind: peer, head.headers)
  }

  /// The address of the client that sent the request, behind any trusted proxies.
  func client(of request: RequestSnapshot) -> ClientAddress? {
    guard let peer = request.peer, contains(peer) else { return request.peer }
    return client(behind: peer, request.headers)
  }

  /// Whether a request passed through an unknown proxy before the connected proxy. The list of addresses then has
  /// another entry after the client's.
  func hasUnknownHop(_ headers: [(name: String, value: String)]) -> Bool {
    var hops = Self.hops(headers, "x-forwarded-for") { $0 }
    if hops.isEmpty { hops = Self.hops(headers, "forwarded", Self.forwarder) }
    return hops.dropFirst().contains { hop in hop.map { !contains($0) } ?? true }
  }

  private func client(behind peer: ClientAddress, _ headers: [(name: String, value: String)]) -> ClientAddress {
    var hops = Self.hops(headers, "x-forwarded-for") { $0 }
    if hops.isEmpty { hops = Self.hops(headers, "forwarded", Self.forwarder) }
    var client = peer
    for hop in hops.reversed() {
      guard contains(client), let before = hop else { break }
      client = before
    }
    return client
  }

  /// The addresses in a list header; nil for entries that are not addresses.
  private static func hops(
    _ headers: [(name: String, value: String)], _ name: String, _ address: (Substring) -> Substring?
  ) -> [ClientAddress?] {
    headers.filter { ASCII.equal($0.name, name) }.flatMap { $0.value.split(separator: ",") }
      .map { address(trimmed($0)).flatMap { ClientAddress($0) } }
  }

  /// Extracts `X` from `for=X;proto=https`, without quotation marks.
  private static func forwarder(_ element: Substring) -> Substring? {
    for pair in element.split(separator: ";").map(trimmed) where pair.lowercased().hasPrefix("for=") {
      var value = pair.dropFirst(4)
      if value.first == "\"", value.last == "\"", value.count >= 2 { value = value.dropFirst().dropLast() }
      return value
    }
    return nil
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }
}
