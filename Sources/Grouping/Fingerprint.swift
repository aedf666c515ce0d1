import Bytes
public import Telemetry

/// What diagnostics of one group have in common. Groups of another version are never compared with it, so that old ones
/// keep their meaning when the rules change.
public struct Fingerprint: Hashable, Sendable {
  /// The rules it was made by.
  public var version: Int
  /// Equal for diagnostics of one group.
  public var hash: UInt64
  public var kind: DiagnosticKind
  /// `EXC_BAD_ACCESS`, `Hang`
  public var exception: String
  /// `CartViewController.checkout()`, or `Shop + 0x1f40` without symbols; empty without frames.
  public var place: String
  /// The binary the place is in.
  public var binary: String
  /// Every frame it was made of has a name.
  public var isSymbolic: Bool
  /// Fingerprints of the first one, two … frames, as a stack that was cut behind them has; of a named exception before them
  /// those of a report that does not name it. The last is `hash`.
  public var prefixes: [UInt64]
  /// It tells less than others may: the stack was cut before it had all the frames a fingerprint is made of, or an abort's
  /// exception is not named.
  public var isCut: Bool

  /// As much of it as tells which cut stacks belong to it.
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

  /// The rules in force.
  public static let version = 1

  /// Sixteen hexadecimal digits: the group's name in addresses.
  public var name: String { Self.name(of: hash) }

  /// The name of a hash.
  public static func name(of hash: UInt64) -> String {
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }

  /// A hash of texts that is the same in every process.
  public static func hash(of texts: [String]) -> UInt64 {
    var hash = StableHash()
    for text in texts { hash.add(text) }
    return hash.value
  }

  /// The hash of a name; nil for any other text.
  public static func hash(named name: String) -> UInt64? {
    let isName = name.utf8.count == 16 && name.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    return isName ? UInt64(name, radix: 16) : nil
  }

  /// `EXC_BAD_ACCESS in CartViewController.checkout()`
  public var title: String { Self.title(exception, place) }

  /// What people call a group.
  public static func title(_ exception: String, _ place: String) -> String {
    place.isEmpty ? exception : "\(exception) in \(place)"
  }
}
