internal import Storage

/// Logins by headers of a proxy that authenticates people itself: the section `proxy:` of `login:`.
///
/// The headers count only on connections from addresses that the settings name. The proxy must remove the headers that
/// a client sends: what it passes on cannot be distinguished from its own.
public struct ProxyLogin: Sendable {
  /// The header with the user's name.
  public var userHeader = "X-Forwarded-User"
  /// The header with the user's groups, with commas between them; nil for none.
  public var groupsHeader: String?
  public var rules: ExternalUserRules

  public init(rules: ExternalUserRules) { self.rules = rules }

  /// What the headers of a trusted proxy say.
  public enum Answer: Sendable, Equatable {
    /// They name no user.
    case absent
    case person(name: String, groups: [String])
    /// They do not name exactly one user.
    case ambiguous(String)
  }

  /// Reads the headers of a request. `isThroughOthers`: whether it came through a further proxy that the settings do
  /// not name, which may have passed on what its client wrote.
  func read(_ headers: [(name: String, value: String)], isThroughOthers: Bool) -> Answer {
    let names = values(userHeader, headers)
    guard let name = names.first else { return .absent }
    guard names.count == 1 else { return .ambiguous("The header \(userHeader) is there \(names.count) times.") }
    guard !name.isEmpty else { return .absent }
    guard !isThroughOthers else {
      return .ambiguous(
        "\(userHeader) came through a further proxy that `login: proxy: addresses:` does not name, so that its writer is "
          + "unknown.")
    }
    guard User.isName(name) else {
      return .ambiguous("\(userHeader) is not one user name of letters, digits and . _ - @ + (at most 64).")
    }
    guard let groupsHeader else { return .person(name: name, groups: []) }
    let lists = values(groupsHeader, headers)
    guard lists.count <= 1 else { return .ambiguous("The header \(groupsHeader) is there \(lists.count) times.") }
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
