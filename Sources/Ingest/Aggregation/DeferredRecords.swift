import Core
import Storage

/// Records of whole days, such as MetricKit's, that are kept as bytes until a flush. Merging each into its own cell at
/// once would need twenty times their memory. The flush merges them by day and cell, a few hundred at a time.
struct DeferredRecords: DigestedParts {
  private var chunks: [[UInt8]] = []
  private var entries: [Entry] = []
  private(set) var apps: Set<AppID> = []
  private let node: NodeID
  /// The memory of the records, in bytes.
  private(set) var weight = 0
  /// The estimated time to digest and apply the records, in microseconds.
  private(set) var work = 0

  private struct Entry {
    let app: AppID
    let day: Int32
    /// A hash of the encoded origin. Sorting by it brings a cell's records together.
    let cell: UInt32
    let chunk: Int32
    let offset: Int32
    let length: Int32
  }

  init(node: NodeID) { self.node = node }

  var isEmpty: Bool { entries.isEmpty }

  private static let chunkSize = 1 << 20

  mutating func append(_ record: UnsafeRawBufferPointer, of app: AppID, _ outline: ReportOutline) {
    if chunks.last.map({ $0.count + record.count > Self.chunkSize }) ?? true {
      var chunk: [UInt8] = []
      chunk.reserveCapacity(max(Self.chunkSize, record.count))
      chunks.append(chunk)
    }
    let chunk = chunks.count - 1
    entries.append(
      Entry(
        app: app, day: outline.day, cell: outline.cell, chunk: Int32(chunk), offset: Int32(chunks[chunk].count),
        length: Int32(record.count)))
    chunks[chunk].append(contentsOf: record)
    apps.insert(app)
    weight += record.count + 2 * MemoryLayout<Entry>.stride
    work += 40 + outline.values / 3
  }

  /// The estimated memory of one part, in bytes.
  private static let partWeight = 8 << 20

  func forEach(_ body: (DigestedBatch) throws -> Void) rethrows {
    let order = entries.sorted {
      ($0.app, $0.day, $0.cell, $0.chunk, $0.offset) < ($1.app, $1.day, $1.cell, $1.chunk, $1.offset)
    }
    var aggregator = RecordAggregator()
    for (index, entry) in order.enumerated() {
      chunks[Int(entry.chunk)].withUnsafeBytes { bytes in
        let range = Int(entry.offset)..<Int(entry.offset) + Int(entry.length)
        aggregator.digest(JournalBatch.Record(UnsafeRawBufferPointer(rebasing: bytes[range])))
      }
      if aggregator.weight > Self.partWeight || index == order.count - 1 {
        let part = aggregator.take(node: node, from: 0, through: 0, isLent: true)
        try body(part)
        aggregator.reuse(consume part)
      }
    }
  }
}
