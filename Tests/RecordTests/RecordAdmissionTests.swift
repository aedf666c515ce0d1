import Testing

@testable import Core
@testable import Ingest

@Suite("Records of another machine")
struct RecordAdmissionTests {
  private static let now = Timestamp(milliseconds: Samples.received.milliseconds + 60_000)

  private func refusal(_ bytes: [UInt8], at now: Timestamp = now) -> RelayedRecordValidator.Refusal? {
    let admission = RelayedRecordValidator(at: now, tallies: [2])
    return bytes.withUnsafeBytes { buffer in
      do throws(RelayedRecordValidator.Refusal) {
        try admission.check(buffer)
        return nil
      } catch {
        return error
      }
    }
  }

  private func refusal(
    received: Timestamp = Samples.received, client: String = "", _ change: (inout Report) -> Void
  ) -> RelayedRecordValidator.Refusal? {
    var report = Samples.full
    change(&report)
    let header = RecordHeader(app: 7, received: received, clock: Samples.clock, client: client)
    return refusal(RecordWriter.encode(report, header, seal: Samples.seal))
  }

  @Test("a record that an honest machine made passes the admission")
  func honest() {
    for report in [Samples.rich, Samples.full, Samples.dayPayload] {
      #expect(refusal(RecordWriter.encode(report, Samples.headerWithClient, seal: Samples.seal)) == nil)
    }
    #expect(refusal(RecordWriter.encode(Samples.tallyWithClient, Samples.header)) == nil)
    #expect(refusal(RecordWriter.encode(TallyRecord(kind: 1, reason: "", detail: "", count: 0), Samples.header)) == nil)
    #expect(refusal { $0.release = .mixed } == nil)
    #expect(refusal { $0.attributes = [AppAttribute(name: "region", value: "DE")].compactMap { $0 } } == nil)
    // Weeks on a node's disk change nothing.
    let bytes = RecordWriter.encode(Samples.full, Samples.header, seal: Samples.seal)
    #expect(refusal(bytes, at: Timestamp(milliseconds: Self.now.milliseconds + 60 * 86_400_000)) == nil)
  }

  @Test("a record is refused if it was received before 1970 or more than an hour from now")
  func receipts() {
    let hour = RelayedRecordValidator.skew
    for (milliseconds, expected) in [
      (Self.now.milliseconds + hour, nil), (Self.now.milliseconds + hour + 1, .time), (1, nil), (0, .time), (-1, .time),
      (221_845_392_000_000, .time), (.max, .unreadable), (.min, .unreadable),
    ] as [(Int64, RelayedRecordValidator.Refusal?)] {
      let header = RecordHeader(app: 7, received: Timestamp(milliseconds: milliseconds))
      #expect(refusal(RecordWriter.encode(Samples.tally, header)) == expected, "\(milliseconds)")
    }
  }

  @Test("a record is refused if it has times in the future")
  func times() {
    let received = Samples.received.milliseconds
    func at(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }
    for (ahead, expected) in [
      (86_400_000, nil), (86_400_001, .time), (7_000 * 365 * 86_400_000, .time), (Int64.max - received, .time),
    ] as [(Int64, RelayedRecordValidator.Refusal?)] {
      let time = at(received + ahead)
      #expect(refusal { $0.sessions[0].started = time } == expected, "\(ahead)")
      #expect(refusal { $0.measurements[3].time = .instant(time) } == expected, "\(ahead)")
      #expect(refusal { $0.diagnostics[0].time = .instant(time) } == expected, "\(ahead)")
    }
    // The start of a stream is a part of its name, kept as sent: any that OTLP's nanoseconds can say.
    for (start, expected) in [
      (0, nil), (Int64(UInt64.max / 1_000_000), nil), (Int64(UInt64.max / 1_000_000) + 1, .excess), (-1, .excess),
      (.max, .excess),
    ] as [(Int64, RelayedRecordValidator.Refusal?)] {
      #expect(refusal { $0.measurements[7].accumulation?.start = at(start) } == expected, "\(start)")
    }
    let today = Samples.received.day()
    #expect(refusal { $0.measurements[0].time = .day(today + 1) } == nil)
    #expect(refusal { $0.measurements[0].time = .day(today + 2) } == .time)
    #expect(refusal { $0.diagnostics[1].time = .day(today + 3_000_000) } == .time)
    #expect(refusal { $0.sessions[0].started = at(.min) } == .time)
  }

  @Test("a record is refused if it has values or counts that no payload may have")
  func amounts() {
    func with(_ value: Measurement.Value) -> RelayedRecordValidator.Refusal? {
      refusal { $0.measurements[1].value = value }
    }
    #expect(with(.samples([1e15])) == nil && with(.counter(1e15)) == nil)
    #expect(with(.spans([Span(low: 0, high: 1, count: 1_000_000_000_000)])) == nil)
    for value in [1.1e15, -1, .infinity, .nan] {
      #expect(with(.samples([value])) == .excess, "\(value)")
      #expect(with(.counter(value)) == .excess, "\(value)")
    }
    for span in [
      Span(low: 0, high: 1, count: 1_000_000_000_001), Span(low: 1, high: 0.5, count: 1),
      Span(low: .nan, high: 1, count: 1),
      Span(low: 1, high: .nan, count: 1), Span(low: -0.5, high: 1, count: 1), Span(low: 1, high: 2, count: .max),
      Span(low: 1e300, high: .infinity, count: 1),
    ] {
      #expect(with(.spans([span])) == .excess, "\(span)")
    }
    for buckets in [
      [ExponentialBuckets.Bucket(index: .max, count: 1)], [.init(index: 1, count: .max)],
      [.init(index: 5, count: 1), .init(index: 5, count: 1)], [.init(index: 5, count: 1), .init(index: -5, count: 1)],
    ] {
      #expect(with(.exponential(ExponentialBuckets(scale: 6, zeros: 0, buckets: buckets))) == .excess, "\(buckets)")
    }
    #expect(refusal { $0.measurements[8].extent = Extent(sum: 1e19) } == .excess)
    #expect(refusal { $0.sessions[0].duration = .infinity } == .excess)
    #expect(refusal { $0.losses[0].quantity = 1_000_001 } == .excess)
    #expect(refusal { $0.rejectedSamples = 1 << 48 } == .excess)
    #expect(refusal { $0.measurements[0].metric = .known(65_535) } == .unknownMetric)
    for tally in [
      TallyRecord(kind: 2, reason: "a", detail: "", count: 1 << 48),
      TallyRecord(kind: 16, reason: "a", detail: "", count: 1),
      TallyRecord(kind: 1, reason: "a", detail: "", count: 1),
      TallyRecord(kind: 200, reason: "a", detail: "", count: 1),
    ] {
      #expect(refusal(RecordWriter.encode(tally, Samples.header)) == .excess, "\(tally)")
    }
  }

  @Test("a record is refused if it exceeds a limit, or has texts that were never cleaned")
  func texts() {
    let long = String(repeating: "a", count: 201)
    for text in [long, "a\nb", "\u{1B}[31m", "\u{202E}b"] {
      if text != long { #expect(refusal { $0.environment = text } == .excess) }
      if text != long { #expect(refusal { $0.release.version = text } == .excess) }
      if text != long { #expect(refusal { $0.device.system.name = text } == .excess) }
      #expect(refusal { $0.measurements[3].label = text } == .excess)
      #expect(refusal { $0.measurements[4].metric = .custom(name: text, unit: .count, kind: .counter) } == .excess)
      #expect(refusal { $0.diagnostics[0].calls.binaries[0].name = text } == .excess)
      #expect(refusal { $0.losses[0].reason = text } == .excess)
      #expect(refusal(client: text) { _ in } == .excess)
    }
    #expect(refusal { $0.diagnostics[0].exception.reason = String(repeating: "a", count: 2_001) } == .excess)
    #expect(refusal { $0.diagnostics[0].exception.reason = "a\nb" } == nil)
    #expect(refusal { $0.sessions = Array(repeating: $0.sessions[0], count: 20_001) } == .excess)
    #expect(refusal { $0.diagnostics = Array(repeating: $0.diagnostics[1], count: 2_001) } == .excess)
    #expect(refusal { $0.measurements[1].value = .samples(Array(repeating: 1, count: 700_000)) } == .excess)
  }

  @Test("a record is refused if the JSON of a diagnostic is damaged, or has another size than stated")
  func bodies() {
    let mark = PackedJSON.mark
    let empty: [UInt8] = [mark, 2, PackedJSON.Token.array, PackedJSON.Token.end]
    #expect(refusal { $0.diagnostics[0].body = PackedJSON(empty) } == nil)
    for bytes in [
      [mark], [mark, 3] + empty.dropFirst(2), empty + [0], [mark, 2, 0xFF], [mark, 2, PackedJSON.Token.array],
    ] {
      #expect(refusal { $0.diagnostics[0].body = PackedJSON(bytes) } == .unreadable, "\(bytes)")
    }
    // A text of 40 MB.
    #expect(refusal { $0.diagnostics[0].body = PackedJSON([mark, 0x80, 0xB4, 0x89, 0x13]) } == .excess)
  }

  @Test("a record of another machine that is truncated or changed anywhere causes no trap")
  func damage() {
    let whole = RecordWriter.encode(Samples.full, Samples.header, seal: Samples.seal)
    for length in whole.indices { #expect(refusal(Array(whole[..<length])) != nil) }
    for index in whole.indices {
      for value in [0, 0x7F, 0x80, 0xFF, whole[index] ^ 1] {
        var bytes = whole
        bytes[index] = value
        _ = refusal(bytes)
      }
    }
  }
}
