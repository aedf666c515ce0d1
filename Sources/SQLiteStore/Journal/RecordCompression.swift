import Core
import Foundation
import Storage

/// How the journal keeps the records of a batch: as a zstd frame made with a dictionary that was trained on records, so
/// that the only payload of a quiet minute shrinks as much as one of many.
///
/// A dictionary stays as long as journals may hold frames made with it: another one gets the next number.
struct RecordCompression: Sendable {
  /// The dictionary of new batches.
  static let current = RecordDictionary.number
  /// Records of the batches that the journal's column `dictionary` calls `plain` are kept as they are.
  static let plain = 0

  /// Shorter batches are kept as they are: a frame's header and checksum would be most of it.
  private static let shortest = 64
  /// More than the journal's writer ever passes on at once, in bytes.
  private static let largest = 256 << 20

  private let dictionary: ZstdDictionary

  init() {
    guard let dictionary = ZstdDictionary(RecordDictionary.bytes, level: 1) else {
      preconditionFailure("The embedded dictionary is none.")
    }
    self.dictionary = dictionary
  }

  /// The frame of the records; nil when they are better kept as they are.
  func compress(_ records: [UInt8]) -> [UInt8]? {
    guard records.count >= Self.shortest else { return nil }
    let frame = records.withUnsafeBytes(dictionary.compress)
    return frame.count < records.count ? frame : nil
  }

  /// The records of a row; nil for a damaged frame. A number that is damaged itself does not matter: frames say which
  /// dictionary they were made with.
  func records(_ stored: UnsafeRawBufferPointer, dictionary number: Int) throws -> [UInt8]? {
    if number == Self.plain { return [UInt8](stored) }
    if let records = dictionary.decompress(stored, limit: Self.largest) { return records }
    guard number > Self.current, stored.starts(with: Self.magic) else { return nil }
    throw UnknownDictionary(number: number)
  }

  /// The first bytes of every zstd frame.
  private static let magic: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd]
}

/// The error when a journal has frames of a dictionary that this version does not have.
struct UnknownDictionary: Error, CustomStringConvertible {
  let number: Int

  var description: String {
    "journal.db has records compressed with dictionary \(number), which a newer version of Plumb wrote"
  }
}
