/// A build of an app: `4.2.0 (1234)`. Either part may be empty.
public struct Release: Hashable, Sendable {
  public var version: String
  public var build: String

  public init(version: String, build: String = "") {
    self.version = version
    self.build = build
  }

  /// Documents that span several releases are booked here.
  public static let mixed = Release(version: "(mixed)")
}

/// What people and filters call a release.
extension Release {
  /// `4.2.0 (1234)`, `4.2.0` without a build, `(unknown)` where a client names no version.
  public var title: String { build.isEmpty ? versionTitle : "\(versionTitle) (\(build))" }

  /// What all builds of its version are called.
  public var versionTitle: String { Unnamed.title(of: version) }

  /// Reads what `title` writes. A version alone stands for all its builds: `build` is empty.
  public init(title: String) {
    var name = title[...]
    var build = ""
    if title.last == ")", let open = title.lastIndex(of: "("), title[..<open].last == " " {
      build = String(title[title.index(after: open)...].dropLast())
      name = title[..<open].dropLast()
    }
    self.init(version: Unnamed.stored(String(name)), build: build)
  }

  /// Whether a filter means this build: by its version, or by version and build.
  public func isCalled(_ name: String) -> Bool { name == versionTitle || name == title }

  /// False for the placeholders in parentheses: no release named, several releases, or beyond the number of releases that
  /// are kept separately.
  public var isNamed: Bool { versionTitle.utf8.first != UInt8(ascii: "(") }
}

/// What a client did not name: an empty text where it is stored, `(unknown)` where people and filters name it.
public enum Unnamed {
  public static let title = "(unknown)"

  /// What people call a stored name.
  public static func title(of stored: String) -> String { stored.isEmpty ? title : stored }

  /// The stored name of what people call so.
  public static func stored(_ title: String) -> String { title == Self.title ? "" : title }
}
