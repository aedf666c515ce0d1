import Core
import Foundation
import Storage

/// The compression of a batch's records in the journal: a zstd frame with a dictionary that was trained on records, so
/// that even a single payload shrinks well.
///
/// A dictionary is kept as long as journals may contain frames made with it. A new dictionary gets the next number.
struct RecordCompression: Sendable {
  /// The dictionary of new batches.
  static let current = RecordDictionary.number
  /// The value of the journal's column `dictionary` for uncompressed records.
  static let plain = 0

  /// Shorter batches are not compressed: a frame's header and checksum would be most of it.
  private static let shortest = 64
  /// More than the journal's writer ever passes at once, in bytes.
  private static let largest = 256 << 20

  private let dictionary: ZstdDictionary

  init() {
    guard let dictionary = ZstdDictionary(RecordDictionary.bytes, level: 1) else {
      preconditionFailure("The embedded dictionary is invalid.")
    }
    self.dictionary = dictionary
  }

  /// The frame of the records; nil if they are better stored uncompressed.
  func compress(_ records: [UInt8]) -> [UInt8]? {
    guard records.count >= Self.shortest else { return nil }
    let frame = records.withUnsafeBytes(dictionary.compress)
    return frame.count < records.count ? frame : nil
  }

  /// The records of a row; nil for a damaged frame. A damaged dictionary number does not matter: frames contain the
  /// number of their dictionary.
  func records(_ stored: UnsafeRawBufferPointer, dictionary number: Int) throws -> [UInt8]? {
    if number == Self.plain { return [UInt8](stored) }
    if let records = dictionary.decompress(stored, limit: Self.largest) { return records }
    guard number > Self.current, stored.starts(with: Self.magic) else { return nil }
    throw UnknownDictionary(number: number)
  }

  /// The first bytes of every zstd frame.
  private static let magic: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd]
}

/// The error for a journal with frames of a dictionary that this version does not have.
struct UnknownDictionary: Error, CustomStringConvertible {
  let number: Int

  var description: String {
    "journal.db has records compressed with dictionary \(number) of a newer version of Plumb. Use that version."
  }
}
