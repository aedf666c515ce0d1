import TestSupport

@testable import Core
@testable import Statistics
@testable import Storage

extension MadeUp {
  /// Batches as the digest makes them, of sessions that are updated late and out of order, of users, cumulative streams,
  /// diagnostics that are sent twice, and cells.
  static func batches(_ count: Int, of node: NodeID, _ random: inout SeededRandom) -> [DigestedBatch] {
    var streams: [UInt64: Double] = [:]
    return (1...count).map { number in
      let received = Timestamp(milliseconds: Int64(firstDay.number + 27) * 86_400_000 + Int64(number) * 60_000)
      var batch = DigestedBatch(
        node: node, from: Int64(number), through: Int64(number), cells: cells(6, &random))
      for _ in 0..<60 { batch.sessions.append(session(received, &random)) }
      for _ in 0..<8 { batch.accumulations.append(accumulation(received, &streams, &random)) }
      for _ in 0..<6 { batch.diagnostics.append(diagnostic(received, &random)) }
      return batch
    }
  }

  private static func key(_ source: Source, _ random: inout SeededRandom) -> CellKey {
    CellKey(
      app: 1, source: source, environment: "production",
      release: Release(version: ["4.1.0", "4.2.0", "5.0"].randomElement(using: &random)!, build: "1"),
      os: ["iOS 17.4.1", "iOS 18.0"].randomElement(using: &random)!,
      model: ["iPhone15,2", "iPad14,3"].randomElement(using: &random)!)
  }

  /// Of few ids, so that most are updates of sessions that are known, with other outcomes, users, releases and days.
  private static func session(_ received: Timestamp, _ random: inout SeededRandom) -> SessionRecord {
    let day = firstDay + Int.random(in: 20..<28, using: &random)
    return SessionRecord(
      key: key(.sentry, &random), id: UInt64.random(in: 0..<900, using: &random) &* 0x9E37_79B9_7F4A_7C15,
      outcome: Int.random(in: 0..<6, using: &random) == 0 ? .crashed : .allCases.randomElement(using: &random)!,
      minute: day.number * 1440 + Int.random(in: 0..<1440, using: &random),
      sequence: Int64.random(in: 0..<5, using: &random), isSequenceExplicit: Bool.random(using: &random),
      user: Int.random(in: 0..<4, using: &random) == 0
        ? nil : UInt64.random(in: 0..<200, using: &random) &* 0xBF58_476D_1CE4_E5B9,
      hasHang: Int.random(in: 0..<10, using: &random) == 0, received: received)
  }

  private static func accumulation(
    _ received: Timestamp, _ streams: inout [UInt64: Double], _ random: inout SeededRandom
  ) -> AccumulationRecord {
    let stream = UInt64.random(in: 0..<10, using: &random)
    let total = streams[stream, default: 0] + Double(Int.random(in: 0...20, using: &random))
    streams[stream] = total
    // Some arrive late, with an earlier time.
    let time = Timestamp(milliseconds: received.milliseconds - Int64.random(in: 0...180_000, using: &random))
    return AccumulationRecord(
      key: CellKey(
        app: 1, source: .otlp, environment: "production", release: Release(version: "4.2.0"), os: "iOS 18.0",
        model: "iPhone15,2"),
      metric: .custom(name: "requests", unit: .count, kind: .counter), label: stream.isMultiple(of: 2) ? "GET" : "",
      accumulation: CumulativeStream(stream: stream, start: Timestamp(milliseconds: 1_000)), time: time,
      bin: TimeBin(start: (firstDay.number + 27) * 1440 + 5, resolution: .fiveMinutes), value: .counter(total),
      extent: nil, received: received)
  }

  private static func diagnostic(_ received: Timestamp, _ random: inout SeededRandom) -> DiagnosticRecord {
    let day = firstDay + Int.random(in: 24..<28, using: &random)
    let isHang = Bool.random(using: &random)
    return DiagnosticRecord(
      key: key(.sentry, &random), kind: isHang ? .hang : .crash, identity: UInt64.random(in: 0..<200, using: &random),
      bin: TimeBin(day), time: nil, hangMinute: isHang ? day.number * 1440 + 700 : nil, quantity: nil,
      session: UInt64.random(in: 0..<900, using: &random) &* 0x9E37_79B9_7F4A_7C15, user: nil,
      exception: ExceptionDetails(), calls: CompressibleBytes([]), bodySize: 0, body: CompressibleBytes([]),
      received: received)
  }
}
