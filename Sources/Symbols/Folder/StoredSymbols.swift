public import Telemetry

/// Symbols of one binary for one architecture, as the folder keeps them.
public struct StoredSymbols: Sendable, Equatable {
  /// 32 upper-case hexadecimal digits.
  public var uuid: String
  /// `Shop`, as the uploaded file was called.
  public var name: String
  /// `arm64`
  public var architecture: String
  /// Bytes on disk.
  public var size: Int
  /// Where `__TEXT` is linked to begin.
  public var textAddress: UInt64
  /// Where its code is, as offsets from there.
  public var code: Range<UInt64>
  /// When it was uploaded.
  public var uploaded: Timestamp
  /// When its names were last asked for, to the hour; the upload counts.
  public var used: Timestamp
  /// Why it is not read any more: it made the symbolizer fail twice. Nil when all is well.
  public var trouble: String?
}
