/// A build of an app: `4.2.0 (1234)`. Either part may be empty.
public struct Release: Hashable, Sendable {
  public var version: String
  public var build: String

  public init(version: String, build: String = "") {
    self.version = version
    self.build = build
  }

  /// The placeholder release of documents that span several releases.
  public static let mixed = Release(version: "(mixed)")
}

extension Release {
  /// The name on pages and in filters: `4.2.0 (1234)`, `4.2.0` without a build, `(unknown)` without a version.
  public var title: String { build.isEmpty ? versionTitle : "\(versionTitle) (\(build))" }

  /// The name that all builds of the version share.
  public var versionTitle: String { UnknownName.title(of: version) }

  /// Parses a `title`. A version without a build means all its builds: `build` is empty.
  public init(title: String) {
    var name = title[...]
    var build = ""
    if title.last == ")", let open = title.lastIndex(of: "("), title[..<open].last == " " {
      build = String(title[title.index(after: open)...].dropLast())
      name = title[..<open].dropLast()
    }
    self.init(version: UnknownName.stored(String(name)), build: build)
  }

  /// Whether a filter's value names this build, by version alone or by version and build.
  public func isCalled(_ name: String) -> Bool { name == versionTitle || name == title }

  /// Whether this is a real release: false for the placeholders in parentheses, which mean no version, several
  /// releases, or the releases beyond the stored number.
  public var isNamed: Bool { versionTitle.utf8.first != UInt8(ascii: "(") }
}

/// Names that a client did not send: stored as an empty text, shown as `(unknown)`.
public enum UnknownName {
  public static let title = "(unknown)"

  /// The name as pages show it: `(unknown)` for a stored empty text.
  public static func title(of stored: String) -> String { stored.isEmpty ? title : stored }

  /// The name as it is stored: an empty text for `(unknown)`.
  public static func stored(_ title: String) -> String { title == Self.title ? "" : title }
}
