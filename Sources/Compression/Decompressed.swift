/// What was decompressed, with zeros behind it.
public struct Decompressed: Sendable {
  /// The output, then as many zeros as padding was asked for.
  public var bytes: [UInt8]
  /// The size of the output in bytes, without the padding.
  public var count: Int

  /// Lends the output. The padding is readable behind its end.
  public func withOutput<Result, Failure: Error>(
    _ use: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try bytes.withUnsafeBufferPointer { bytes throws(Failure) in
      try use(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[..<count])))
    }
  }
}
