internal import Storage

/// Logins by headers of a proxy that authenticates people: the section `proxy:` of `login:`.
///
/// The headers count only on connections from the addresses in the settings. The proxy must remove these headers from
/// client requests, because they cannot be distinguished from its own.
public struct ProxyLogin: Sendable {
  /// The header with the user's name.
  public var userHeader = "X-Forwarded-User"
  /// The header with the user's groups, separated by commas; nil if not set.
  public var groupsHeader: String?
  public var rules: ExternalUserRules

  public init(rules: ExternalUserRules) { self.rules = rules }

  /// The result of reading the headers of a trusted proxy.
  public enum Answer: Sendable, Equatable {
    /// The headers contain no user.
    case absent
    case person(name: String, groups: [String])
    /// The headers do not identify exactly one user; the text is the reason.
    case ambiguous(String)
  }

  /// Reads the headers of a request. `isThroughOthers`: whether it passed through another proxy that is not in the
  /// settings, which may have passed on headers from a client.
  func read(_ headers: [(name: String, value: String)], isThroughOthers: Bool) -> Answer {
    let names = values(userHeader, headers)
    guard let name = names.first else { return .absent }
    guard names.count == 1 else {
      return .ambiguous("The header \(userHeader) was sent \(names.count) times; expected once.")
    }
    guard !name.isEmpty else { return .absent }
    guard !isThroughOthers else {
      return .ambiguous(
        "\(userHeader) passed through another proxy, which is not in `login: proxy: addresses:`, so its origin is "
          + "unknown.")
    }
    guard User.isName(name) else {
      return .ambiguous("\(userHeader) is not a user name: expected 1 to 64 letters, digits and . _ - @ +")
    }
    guard let groupsHeader else { return .person(name: name, groups: []) }
    let lists = values(groupsHeader, headers)
    guard lists.count <= 1 else {
      return .ambiguous("The header \(groupsHeader) was sent \(lists.count) times; expected once.")
    }
    let groups = (lists.first ?? "").split(separator: ",").prefix(1000).map(Self.trimmed).filter { !$0.isEmpty }
    return .person(name: name, groups: groups)
  }

  private func values(_ name: String, _ headers: [(name: String, value: String)]) -> [String] {
    headers.filter { $0.name.lowercased() == name.lowercased() }.map { Self.trimmed($0.value[...]) }
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text
    while text.first == " " || text.first == "\t" { text.removeFirst() }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return String(text)
  }
}
