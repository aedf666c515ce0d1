public import Core

/// The identity of a group of diagnostics. Fingerprints of different versions are never compared, so existing groups
/// remain when the rules change.
public struct Fingerprint: Hashable, Sendable {
  /// The version of the grouping rules that produced the fingerprint.
  public var version: Int
  /// The hash, which is equal for all diagnostics of a group.
  public var hash: UInt64
  public var kind: DiagnosticKind
  /// The exception or kind for pages: `EXC_BAD_ACCESS`, `Hang`.
  public var exception: String
  /// The location in the code: `CartViewController.checkout()`, or `Shop + 0x1f40` without symbols; empty without
  /// frames.
  public var place: String
  /// The binary that contains the group's location; see `place`.
  public var binary: String
  /// Whether every frame in the fingerprint has a name.
  public var isSymbolic: Bool
  /// The fingerprints of the first one, two … frames. A stack that was truncated after them has the same fingerprint.
  /// For a named exception, the fingerprints without its name come first. The last one is `hash`.
  public var prefixes: [UInt64]
  /// Whether the fingerprint may be a prefix of another, because the stack was truncated too early or the abort's
  /// exception has no name.
  public var isCut: Bool

  /// Restores a fingerprint from its stored parts, to find the truncated stacks that belong to it.
  public init(hash: UInt64, prefixes: [UInt64], isCut: Bool) {
    self.init(
      version: Self.version, hash: hash, kind: .crash, exception: "", place: "", binary: "", isSymbolic: false,
      prefixes: prefixes, isCut: isCut)
  }

  init(
    version: Int, hash: UInt64, kind: DiagnosticKind, exception: String, place: String, binary: String,
    isSymbolic: Bool, prefixes: [UInt64], isCut: Bool
  ) {
    self.version = version
    self.hash = hash
    self.kind = kind
    self.exception = exception
    self.place = place
    self.binary = binary
    self.isSymbolic = isSymbolic
    self.prefixes = prefixes
    self.isCut = isCut
  }

  /// The version of the current grouping rules.
  static let version = 1

  /// The hash as sixteen hexadecimal digits. It names the group in URLs.
  var name: String { Self.name(of: hash) }

  /// The name of a hash: sixteen hexadecimal digits.
  public static func name(of hash: UInt64) -> String {
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }

  /// The hash of several texts. It is the same in every process.
  public static func hash(of texts: [String]) -> UInt64 {
    var hash = StableHash()
    for text in texts { hash.add(text) }
    return hash.value
  }

  /// The hash with this name; nil for any other text.
  public static func hash(named name: String) -> UInt64? {
    let isName = name.utf8.count == 16 && name.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    return isName ? UInt64(name, radix: 16) : nil
  }

  /// The title of the group: `EXC_BAD_ACCESS in CartViewController.checkout()`.
  var title: String { Self.title(exception, place) }

  /// The title of a group from its exception and place.
  public static func title(_ exception: String, _ place: String) -> String {
    place.isEmpty ? exception : "\(exception) in \(place)"
  }
}
