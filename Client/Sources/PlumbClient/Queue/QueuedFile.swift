import Foundation

/// A waiting file. Its name contains all its properties, so that no index can differ from the folder:
/// `SEQUENCE-CREATED-KIND-KEY.json`. File attributes are not read, because Apple requires a reason for that.
struct QueuedFile: Equatable, Sendable {
  var sequence: Int
  var created: Date
  var kind: PayloadKind
  /// The `Idempotency-Key`. It is created once, so that every attempt sends the same key.
  var key: String
  var size: Int

  var name: String { "\(sequence)-\(created.milliseconds)-\(kind.rawValue)-\(key).json" }

  init(sequence: Int, created: Date, kind: PayloadKind, size: Int) {
    self.sequence = sequence
    self.created = created
    self.kind = kind
    // Without dashes, which separate the parts of a name.
    self.key = UUID().uuidString.replacingOccurrences(of: "-", with: "").lowercased()
    self.size = size
  }

  /// Nil for a name that the queue did not write.
  init?(name: String, size: Int) {
    guard name.hasSuffix(".json") else { return nil }
    let parts = name.dropLast(5).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 4, let sequence = Int(parts[0]), sequence >= 0, sequence < Int.max,
      let created = Int64(parts[1]), created >= 0, let kind = PayloadKind(rawValue: String(parts[2])),
      parts[3].utf8.count == 32, parts[3].allSatisfy({ $0.isASCII && $0.isHexDigit })
    else { return nil }
    self.sequence = sequence
    self.created = Date(milliseconds: created)
    self.kind = kind
    self.key = String(parts[3])
    self.size = size
  }
}
