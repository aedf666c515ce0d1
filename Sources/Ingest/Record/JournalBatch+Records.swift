import Core
import Storage

extension JournalBatch {
  /// A record of a batch, or several that cannot be separated.
  enum Record {
    /// A record whose app can be read, with its bytes.
    case of(AppID, RecordReader, UnsafeRawBufferPointer)
    /// A record whose first fields cannot be decoded, with its bytes.
    case damaged(UnsafeRawBufferPointer)
    /// The number of records at the batch's end that cannot be separated because a length is damaged, with their bytes.
    case unreadable(Int, UnsafeRawBufferPointer)

    init(_ bytes: UnsafeRawBufferPointer) {
      if let reader = try? RecordReader(bytes), let app = try? reader.app() {
        self = .of(app, reader, bytes)
      } else {
        self = .damaged(bytes)
      }
    }
  }

  /// Calls `body` with the sequence and content of every record after `sequence` until it returns false.
  func forEachRecord(after sequence: Int64, _ body: (Int64, Record) -> Bool) {
    records.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      for index in 0..<max(0, count) {
        let current = first + Int64(index)
        let start = buffer.count - reader.remaining
        guard let bytes = try? reader.slice() else {
          let left = through - max(current - 1, sequence)
          if left > 0 { endUnreadable(Int(left), buffer, from: start, body) }
          return
        }
        if current > sequence, !body(current, Record(bytes)) { return }
      }
    }
  }

  private func endUnreadable(
    _ count: Int, _ buffer: UnsafeRawBufferPointer, from start: Int, _ body: (Int64, Record) -> Bool
  ) {
    damaged.withUnsafeBytes { damaged in
      let bytes = damaged.isEmpty ? UnsafeRawBufferPointer(rebasing: buffer[start...]) : damaged
      _ = body(through, .unreadable(count, bytes))
    }
  }
}
