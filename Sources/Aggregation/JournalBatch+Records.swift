import Bytes
import Record
import Storage

extension JournalBatch {
  /// One record of a batch.
  enum Record {
    /// A record whose head was read, and all of its bytes.
    case of(AppID, RecordReader, UnsafeRawBufferPointer)
    /// One whose head cannot be read.
    case damaged(UnsafeRawBufferPointer)
    /// So many records at the batch's end, whose lengths are damaged.
    case unreadable(Int)

    init(_ bytes: UnsafeRawBufferPointer) {
      if let reader = try? RecordReader(bytes), let app = try? reader.app() {
        self = .of(app, reader, bytes)
      } else {
        self = .damaged(bytes)
      }
    }
  }

  /// Calls `body` with every record behind `sequence` and its own sequence, until one is answered with false.
  func forEachRecord(after sequence: Int64, _ body: (Int64, Record) -> Bool) {
    records.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      for index in 0..<max(0, count) {
        let current = first + Int64(index)
        guard let bytes = try? reader.slice() else {
          let left = through - max(current - 1, sequence)
          if left > 0 { _ = body(through, .unreadable(Int(left))) }
          return
        }
        if current > sequence, !body(current, Record(bytes)) { return }
      }
    }
  }
}
