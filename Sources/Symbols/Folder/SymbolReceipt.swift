/// What became of the files of an upload.
public struct SymbolReceipt: Sendable, Equatable {
  /// New symbols.
  public var stored: [StoredSymbols] = []
  /// Symbols that were there already; they stay as they are.
  public var known: [StoredSymbols] = []
  /// Files that could not be taken.
  public var refused: [Refusal] = []
  /// Executables and libraries without debug information, as they lie beside dSYMs in an archive. No error.
  public var withoutSymbols = 0

  /// Nothing in it.
  public init() {}

  /// A file, and why it was not taken.
  public struct Refusal: Sendable, Equatable {
    public var name: String
    public var reason: String
  }

  /// Both together.
  public static func + (left: Self, right: Self) -> Self {
    var sum = left
    sum.stored += right.stored
    sum.known += right.known
    sum.refused += right.refused
    sum.withoutSymbols += right.withoutSymbols
    return sum
  }

  mutating func refuse(_ name: String, _ reason: String) {
    // An archive may hold as many bad files as it likes.
    guard refused.count < 1000 else { return }
    refused.append(Refusal(name: SymbolName.kept(name), reason: reason))
  }
}

/// Names of files, which come from outside.
enum SymbolName {
  private static let most = 200

  /// The last part of a path, cut to 200 bytes between two scalars, without control characters.
  static func kept(_ path: String) -> String {
    var name = ""
    for scalar in (path.split(separator: "/").last ?? "").unicodeScalars where scalar.value >= 0x20 {
      guard name.utf8.count + UTF8.width(scalar) <= most else { break }
      name.unicodeScalars.append(scalar)
    }
    return name
  }
}
