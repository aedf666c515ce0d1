public import Bytes

extension PairSum {
  private static let version: UInt8 = 1

  /// Appends a version byte, then the six sums, signed.
  public func encode(into writer: inout ByteWriter) {
    writer.byte(Self.version)
    writer.signed(Int64(clusters))
    writer.signed(x)
    writer.signed(y)
    writer.wide(xx)
    writer.wide(yy)
    writer.wide(xy)
  }

  /// Reads what `encode` wrote; anything else throws.
  public init(from reader: inout ByteReader) throws(DamagedBytes) {
    try reader.expect(version: Self.version)
    self.init()
    clusters = Int(try reader.signed())
    x = try reader.signed()
    y = try reader.signed()
    xx = try reader.wide()
    yy = try reader.wide()
    xy = try reader.wide()
  }
}
