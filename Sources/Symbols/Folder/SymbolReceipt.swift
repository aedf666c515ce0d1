public import Core

/// The result of an upload, file by file.
public struct SymbolReceipt: Sendable, Equatable {
  /// Files with a UUID that was not stored before.
  public var stored: [StoredSymbols] = []
  /// Files that replaced others with the same UUID.
  public var replaced: [StoredSymbols] = []
  /// Files that were already stored with the same bytes.
  public var known: [StoredSymbols] = []
  /// Files that were refused, with the reasons.
  public var refused: [Refusal] = []
  /// The number of executables and libraries without debug information. Archives contain them together with dSYMs, so
  /// they are not errors.
  public var withoutSymbols = 0

  /// Whether the folder now has at least one file of the upload, new or from before.
  public var holdsSymbols: Bool { !stored.isEmpty || !replaced.isEmpty || !known.isEmpty }

  /// Creates an empty receipt.
  init() {}

  /// A refused file of an upload, with the reason.
  public struct Refusal: Sendable, Equatable {
    public var name: String
    public var reason: String
  }

  /// The combined results of two uploads.
  static func + (left: Self, right: Self) -> Self {
    var sum = left
    sum.stored += right.stored
    sum.replaced += right.replaced
    sum.known += right.known
    sum.refused += right.refused
    sum.withoutSymbols += right.withoutSymbols
    return sum
  }

  mutating func refuse(_ name: String, _ reason: String) {
    // The list is bounded, because an archive may contain any number of bad files.
    guard refused.count < 1000 else { return }
    refused.append(Refusal(name: UploadedFileName.shown(name), reason: reason))
  }
}

extension SymbolReceipt: APIObject {
  public static let fields = Fields<Self>("SymbolReceipt", "The result of an upload.") {
    Field("known", \.known, "Symbols that were already stored with the same bytes.")
    Field("refused", \.refused, "Files that were refused.")
    Field("replaced", \.replaced, "Symbols that replaced others with the same UUID.")
    Field("stored", \.stored, "New symbols.")
    Field("without_symbols", \.withoutSymbols, "The number of executables and libraries without debug information.")
  }

  public func json() -> [UInt8] { output.encoded() }
}

extension SymbolReceipt.Refusal: APIObject {
  public static let fields = Fields<Self>(nil, "A file.") {
    Field("name", \.name, "The file's name, or its path in a zip archive.")
    Field("reason", \.reason, "Why the file was refused.")
  }
}
