import Core
package import Storage

/// The body with which an ingest node relays its journal: a zstd frame with a version, the fingerprint of the folder's
/// secret, and parts.
///
/// A part begins with its kind (0 for records without keys, 1 for the records of a request with a key, 2 for missing
/// sequences) and a count. Records then have the time of receipt; for a request with a key, the app, the key and the
/// hash of the body; and the records, each after its length.
package struct RelayFrame {
  /// The fingerprint of the secret. Two installations hash ids differently, so one must not count the other's records.
  var fingerprint: UInt64
  package var parts: [RelayPart]

  /// The most bytes of records in a frame, unless a single request has more.
  static let usual = 4 << 20
  /// The largest frame after decompression, in bytes. Larger requests cannot be relayed.
  static let largest = 32 << 20
  private static let version: UInt8 = 1
  /// The most parts of a valid frame, which bounds the memory for parts. A node sends fewer.
  private static let mostParts = 50_000
  /// The most records of a valid frame, which bounds the time for checks. A node sends fewer.
  static let mostRecords = 400_000

  private enum Kind: UInt8 {
    case unkeyed = 0
    case keyed = 1
    case missing = 2
  }

  package enum Failure: Error, CustomStringConvertible {
    case newerVersion
    case malformed(String)

    package var description: String {
      switch self {
      case .newerVersion: "the frame was created by a newer version of Plumb: upgrade the primary first"
      case .malformed(let problem): problem
      }
    }
  }

  package func encoded() -> [UInt8] { content().withUnsafeBytes { Compression.compress(zstd: $0) } }

  /// The frame before compression.
  package func content() -> [UInt8] {
    var writer = ByteWriter(reserving: Self.usual)
    writer.byte(Self.version)
    writer.fixed(fingerprint)
    for part in parts {
      switch part {
      case .missing(let count):
        writer.byte(Kind.missing.rawValue)
        writer.count(count)
      case .records(let records):
        writer.byte((records.receipt == nil ? Kind.unkeyed : .keyed).rawValue)
        writer.count(records.count)
        writer.signed(records.received.milliseconds)
        if let receipt = records.receipt {
          writer.count(Int(records.app))
          writer.fixed(receipt.key)
          writer.fixed(receipt.content)
        }
        writer.blob(records.bytes)
      }
    }
    return writer.bytes
  }

  package init(fingerprint: UInt64, parts: [RelayPart]) { (self.fingerprint, self.parts) = (fingerprint, parts) }

  /// Decodes a frame. Checks that every part has as many records as its count.
  package init(_ body: UnsafeRawBufferPointer) throws(Failure) {
    let bytes: [UInt8]
    do {
      bytes = try Compression.decompress(zstd: body, limit: Self.largest)
    } catch {
      throw .malformed("the frame cannot be decompressed: \(error.description)")
    }
    let outcome = bytes.withUnsafeBytes { buffer -> Result<RelayFrame, Failure> in
      do throws(DamagedBytes) {
        return .success(try Self.decode(buffer))
      } catch {
        return .failure(buffer.first.map { $0 > Self.version } ?? false ? .newerVersion : .malformed("\(error)"))
      }
    }
    self = try outcome.get()
  }

  private static func decode(_ buffer: UnsafeRawBufferPointer) throws(DamagedBytes) -> RelayFrame {
    var reader = ByteReader(buffer)
    guard try reader.byte() == version else { throw DamagedBytes(offset: 0) }
    var frame = RelayFrame(fingerprint: try reader.fixed(), parts: [])
    var records = 0
    while !reader.isAtEnd {
      let offset = buffer.count - reader.remaining
      guard let kind = Kind(rawValue: try reader.byte()), frame.parts.count < mostParts else {
        throw DamagedBytes(offset: offset)
      }
      let count = try reader.count()
      guard count > 0 else { throw DamagedBytes(offset: offset) }
      if kind == .missing {
        frame.parts.append(.missing(count))
      } else {
        records = records.saturatingAdd(count)
        guard records <= mostRecords else { throw DamagedBytes(offset: offset) }
        frame.parts.append(.records(try Self.records(count, kind, &reader)))
      }
    }
    return frame
  }

  private static func records(
    _ count: Int, _ kind: Kind, _ reader: inout ByteReader
  ) throws(DamagedBytes) -> PendingRecords {
    let received = Timestamp(milliseconds: try reader.signed())
    var (app, receipt): (AppID, Receipt?) = (0, nil)
    if kind == .keyed {
      guard let number = AppID(exactly: try reader.count()) else { throw DamagedBytes(offset: reader.remaining) }
      (app, receipt) = (number, Receipt(key: try reader.fixed(), content: try reader.fixed()))
    }
    let bytes = [UInt8](try reader.slice())
    guard JournalBatch(first: 1, count: count, records: bytes).isSeparable else {
      throw DamagedBytes(offset: reader.remaining)
    }
    return PendingRecords(app: app, bytes: bytes, count: count, receipt: receipt, received: received)
  }
}
