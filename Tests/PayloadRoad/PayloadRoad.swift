public import Core
public import Ingest
import Statistics
public import Storage

/// The road of a payload without its ends: decoder, record, digest, rows. What a fuzzer drives; a trap ends the process, and
/// what must hold of every input is checked and trapped on, too.
public final class PayloadRoad {
  private let decoder = PayloadDecoder()

  public init() {}

  /// When everything is received: 2026-11-20T12:00:00Z.
  public static let received = Timestamp(milliseconds: 1_795_176_000_000)

  /// The first byte says what the others are: a payload in one of the formats, a record, or a row.
  public func travel(_ input: UnsafeRawBufferPointer) {
    guard let first = input.first else { return }
    let body = UnsafeRawBufferPointer(rebasing: input.dropFirst())
    switch first {
    case UInt8(ascii: "r"):
      _ = refusal(of: body)
      digest([body])
    case UInt8(ascii: "h"): readRow(body)
    case UInt8(ascii: "c"): _ = try? CallTree(recorded: body)
    default: if let format = Self.format(first) { decode(body, format) }
    }
  }

  /// The format that a letter stands for, as the first byte of a file of the corpus.
  public static func format(_ letter: UInt8) -> PayloadFormat? {
    switch letter {
    case UInt8(ascii: "s"): .sniffed
    case UInt8(ascii: "e"): .sentryEnvelope
    case UInt8(ascii: "t"): .sentryStore
    case UInt8(ascii: "m"): .otlpMetrics(.protobuf)
    case UInt8(ascii: "M"): .otlpMetrics(.json)
    case UInt8(ascii: "l"): .otlpLogs(.protobuf)
    case UInt8(ascii: "L"): .otlpLogs(.json)
    case UInt8(ascii: "p"): .otlpTraces(.protobuf)
    case UInt8(ascii: "S"): .otlpTraces(.json)
    default: nil
    }
  }

  /// What a store would be handed for a payload; nil for one that is refused or empty, and for records and rows.
  public func batch(of input: UnsafeRawBufferPointer) -> DigestedBatch? {
    guard let first = input.first, let format = Self.format(first) else { return nil }
    return decode(UnsafeRawBufferPointer(rebasing: input.dropFirst()), format)
  }

  @discardableResult
  private func decode(_ body: UnsafeRawBufferPointer, _ format: PayloadFormat) -> DigestedBatch? {
    let decoded: Decoded
    do throws(DecodingFailure) {
      decoded = try decoder.decode(body, as: format, DecodingContext(received: Self.received, keepsExceptionText: true))
    } catch {
      precondition(!error.detail.isEmpty, "refused without a reason")
      return nil
    }
    if decoded.reports.isEmpty { return nil }
    let seal = Pseudonymizer(hash: { text, _ in UInt64(text.utf8.count) })
    let header = RecordHeader(app: 1, received: Self.received)
    let records = decoded.reports.map { RecordWriter.encode($0, header, seal: seal) }
    var all = ByteWriter(reserving: 4096)
    for record in records {
      all.blob(record)
      let refusal = record.withUnsafeBytes { self.refusal(of: $0) }
      precondition(refusal == nil, "a primary refuses its own node's record: \(refusal.map(\.rawValue) ?? "")")
    }
    let batch = digest(all.bytes, records.count)
    precondition(!batch.tallies.contains { $0.reason == "damaged record" }, "its own record cannot be read")
    return batch
  }

  /// Why a primary does not take over a record of a node.
  private func refusal(of record: UnsafeRawBufferPointer) -> RelayedRecordValidator.Refusal? {
    let admission = RelayedRecordValidator(at: Self.received, tallies: [])
    do throws(RelayedRecordValidator.Refusal) {
      try admission.check(record)
      return nil
    } catch {
      return error
    }
  }

  /// Records that nobody may have written. Twice, so that sums meet sums.
  private func digest(_ records: [UnsafeRawBufferPointer]) {
    var writer = ByteWriter()
    for record in records + records { writer.blob(record) }
    _ = digest(writer.bytes, records.count * 2)
  }

  private func digest(_ bytes: [UInt8], _ count: Int) -> DigestedBatch {
    var aggregator = RecordAggregator()
    aggregator.digest(JournalBatch(first: 1, count: count, records: bytes))
    guard let batch = aggregator.take(node: NodeID("fuzz")) else { preconditionFailure("no batch of \(count) records") }
    for series in batch.cells.flatMap(\.series.deltas) { store(series.aggregate) }
    for diagnostic in batch.diagnostics {
      _ = try? diagnostic.calls.withContent(limit: 1 << 20) { try CallTree(recorded: $0) }
      _ = try? diagnostic.body.withContent(limit: 1 << 20) { try PackedJSON([UInt8]($0)).text(limit: 1 << 20) }
    }
    return batch
  }

  /// Writes a row, reads it, adds it to itself as a merge does, and asks it what a page asks.
  private func store(_ aggregate: Aggregate) {
    var writer = ByteWriter()
    aggregate.encode(into: &writer)
    let bytes = writer.bytes
    let reread = bytes.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      return try? Aggregate(from: &reader)
    }
    guard let reread else { preconditionFailure("its own row cannot be read") }
    precondition(reread == aggregate, "a row is not what it was")
    ask(reread)
  }

  /// A row that nobody may have written.
  private func readRow(_ bytes: UnsafeRawBufferPointer) {
    var reader = ByteReader(bytes)
    guard let aggregate = try? Aggregate(from: &reader) else { return }
    ask(aggregate)
  }

  private func ask(_ aggregate: Aggregate) {
    var sum = aggregate
    sum.merge(aggregate)
    switch sum {
    case .distribution(let histogram): ask(histogram)
    case .pair(let pairs):
      _ = RateSample(days: [pairs], events: .one)?.bounds(tail: 0.025)
      _ = DesignEffect.forRatio(k: Double(pairs.x), n: Double(pairs.y), moments: pairs)
    case .sessions(let sessions):
      _ = DesignEffect.forRatio(k: 1, n: Double(sessions.total), moments: sessions.userDays)
    case .users(let users): _ = users.all.estimate
    case .counter: break
    }
  }

  private func ask(_ histogram: Histogram) {
    let reader = HistogramReader(histogram, stepsPerUnit: 1000)
    let effect = DesignEffect.forDistribution(
      histogram, phones: DeviceClusterSize([histogram]), oneValuePerCluster: false)
    for p in [0.5, 0.9, 0.99] {
      precondition(reader.quantile(p)?.value.isNaN != true, "a percentile is no number")
      _ = Interval.quantile(p, of: reader, effect: effect, tail: 0.025)
    }
    precondition(reader.bars(maximum: 24).count <= 24, "too many bars")
    _ = (reader.mean, reader.variance, reader.count(atMost: 500), reader.count(below: 500))
  }
}
