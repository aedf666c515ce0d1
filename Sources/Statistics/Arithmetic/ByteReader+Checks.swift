import Bytes

extension ByteReader {
  /// An error at the place read so far.
  var damage: DamagedBytes {
    var end = self
    while true {
      do { _ = try end.byte() } catch { return DamagedBytes(offset: error.offset - remaining) }
    }
  }

  mutating func expect(version: UInt8) throws(DamagedBytes) {
    guard try byte() == version else { throw damage }
  }

  /// A count that is at least 1.
  mutating func positiveCount() throws(DamagedBytes) -> Int {
    let value = try count()
    guard value > 0 else { throw damage }
    return value
  }
}
