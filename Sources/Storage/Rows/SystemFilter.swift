internal import Core

/// A filter by the OS: one version, `iOS 18.6.1`, or all versions that begin alike, `iOS 18.*`.
public struct SystemFilter: Hashable, Sendable {
  /// The filter as text.
  public let text: String

  public init(_ text: String) { self.text = text }

  /// The beginning that all selected versions share, without the point after it: `iOS 18`. Nil for one version.
  public var prefix: String? { text.hasSuffix(Self.any) ? String(text.dropLast(Self.any.count)) : nil }

  public func selects(_ name: String) -> Bool {
    prefix.map { name == $0 || name.hasPrefix($0 + ".") } ?? (name == text)
  }

  /// The filters that select a version and others of the same minor or major version, narrowest first: `iOS 18.6.*` and
  /// `iOS 18.*` for `iOS 18.6.1`.
  public static func prefixes(of name: String) -> [String] {
    guard let space = name.lastIndex(of: " ") else { return [] }
    let parts = name[name.index(after: space)...].split(separator: ".", omittingEmptySubsequences: false)
    guard parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isASCII) && $0.allSatisfy(\.isNumber) }) else { return [] }
    let system = name[...space]
    return [2, 1].filter { $0 <= parts.count }.map { system + parts.prefix($0).joined(separator: ".") + any }
  }

  private static let any = ".*"
}
