public import Core

/// Checks a record that another machine encoded, as decoders check what apps send: its times, counts, texts and sizes.
///
/// A person with an ingest node's token can send any bytes as a record. The bounds equal those of `Decoding`, so that
/// every record of an honest node passes.
public struct RelayedRecordValidator {
  /// Why a record is refused. Raw values complete the sentence "… records of a node".
  public enum Refusal: String, Error, Sendable, CaseIterable {
    case unreadable = "cannot be read"
    case time = "have times that the primary's clock does not allow; check both clocks"
    case excess = "have values, texts or counts beyond the limits of payloads"
    /// The record may come from a newer version. It can wait until this one is upgraded.
    case unknownMetric = "have metrics unknown to the primary"
  }

  /// How far a node's clock may be ahead, in milliseconds.
  static let skew: Int64 = 3_600_000

  private let now: Timestamp
  private let tallies: Set<UInt8>

  /// - Parameters:
  ///   - now: the time of this machine. Records must have been received before it, give or take `skew`.
  ///   - tallies: the allowed kinds of tallies. A tally of another kind must count nothing.
  public init(at now: Timestamp, tallies: Set<UInt8>) { (self.now, self.tallies) = (now, tallies) }

  /// Whether a time of receipt is after 1970 and not ahead of this machine's clock by more than `skew`.
  public func allows(received: Timestamp) -> Bool {
    received.milliseconds > 0 && received.milliseconds <= now.milliseconds.saturatingAdd(Self.skew)
  }

  /// Throws if the record must be refused.
  public func check(_ bytes: UnsafeRawBufferPointer) throws(Refusal) {
    do {
      let record = try RecordReader(bytes)
      guard allows(received: record.received) else { throw Refusal.time }
      switch record.content {
      case .tally(_, let tally): try check(tally)
      case .report(var report):
        // From here on, no stated count exceeds the bytes that follow. Loops are therefore bounded.
        try report.check()
        try check(try ReportContext(report.origin))
        try check(text: report.client, Bounds.text)
        if let run = report.firstRun { try check(.day(run.day), record.received) }
        try check(measurementsOf: &report)
        try check(try report.sessions(), record.received)
        try check(try report.diagnostics(), record.received)
        try check(try report.losses())
        let remarks = try report.remarks()
        try check(max(remarks.rejectedSamples, remarks.unknownUnits, remarks.assumedTimes) <= Bounds.count)
      }
    } catch let refusal as Refusal {
      throw refusal
    } catch {
      throw .unreadable
    }
  }

  /// The bounds of `DecodingLimits`, which gives the reasons.
  private enum Bounds {
    static let value = 1e15
    static let sum = 1e18
    static let count = 1_000_000_000_000
    /// Events in a merged bucket.
    static let joined = 1 << 60
    static let losses = 1_000_000
    static let tally = 1_000_000_000
    static let text = SanitizedText.longestName
    /// A detail is cut to 200 bytes. A scalar that is cut becomes a replacement character of three.
    static let detail = 203
    static let lines = 2_000
    static let measurements = 150_000
    static let series = 40_000
    static let values = 500_000
    static let sessions = 20_000
    static let diagnostics = 2_000
    static let lossKinds = 10_000
    /// No bucket index of a double is larger, even at the finest scale.
    static let index = 1 << 17
    static let body = 32 << 20
    static let frames = 100_000
    static let binaries = 120_000
    /// The largest number of nanoseconds that OTLP can send, in milliseconds.
    static let latestStart = Int64(UInt64.max / 1_000_000)
    /// A client's clock may be a day ahead, as `DecodingContext.clamp` allows.
    static let ahead: Int64 = 86_400_000
  }

  private func check(_ isWithin: Bool) throws(Refusal) { if !isWithin { throw .excess } }

  /// Names must equal what `SanitizedText` would store, so that none can change a terminal, a log or the text around it.
  private func check(text bytes: UnsafeRawBufferPointer, _ limit: Int) throws(Refusal) {
    try check(bytes.count <= limit)
    if bytes.allSatisfy({ $0 &- 0x20 < 0x5F }) { return }
    let text = String(decoding: bytes, as: UTF8.self)
    try check(SanitizedText.name(text, atMost: limit) == text)
  }

  private func check(_ text: String, _ limit: Int = Bounds.text) throws(Refusal) {
    var text = text
    let refusal = text.withUTF8 { bytes -> Refusal? in
      do throws(Refusal) {
        try check(text: UnsafeRawBufferPointer(bytes), limit)
        return nil
      } catch {
        return error
      }
    }
    if let refusal { throw refusal }
  }

  private func check(lines text: String?) throws(Refusal) {
    guard var text else { return }
    try check(text.utf8.count <= Bounds.lines)
    try check(text.withUTF8 { SanitizedText.lines($0, atMost: Bounds.lines) } == text)
  }

  private func check(_ instant: Timestamp, _ received: Timestamp) throws(Refusal) {
    guard instant.milliseconds <= received.milliseconds + Bounds.ahead,
      instant.milliseconds.magnitude <= RecordFormat.latest
    else { throw .time }
  }

  private func check(_ time: MeasurementTime, _ received: Timestamp) throws(Refusal) {
    switch time {
    case .instant(let instant): try check(instant, received)
    // No place on Earth is more than one day ahead.
    case .day(let day): if day > received.day() + 1 { throw .time }
    }
  }

  private func check(_ tally: TallyRecord) throws(Refusal) {
    try check(tally.count == 0 || (tallies.contains(tally.kind) && tally.count <= Bounds.tally))
    try check(tally.client)
    try check(tally.reason)
    try check(tally.detail, Bounds.detail)
  }

  private func check(_ origin: ReportContext) throws(Refusal) {
    let (release, system) = (origin.release, origin.device.system)
    // Names from a crash text may fill a whole line.
    for name in [
      origin.environment, origin.device.model, system.name, system.version, system.build, release.version,
      release.build,
    ] {
      try check(name, Bounds.lines)
    }
  }

  private func check(_ losses: [ClientLoss]) throws(Refusal) {
    try check(losses.count <= Bounds.lossKinds)
    for loss in losses {
      try check(loss.quantity <= Bounds.losses)
      try check(loss.category)
      try check(loss.reason)
    }
  }
}

// MARK: Measurements

extension RelayedRecordValidator {
  private func check(measurementsOf report: inout ReportReader) throws {
    let received = report.received
    try check(report.measurementsLeft <= Bounds.measurements)
    var (series, values) = (0, 0)
    while let head = try report.nextMeasurement() {
      if head.number == 0 || head.isLabelled { series += 1 }
      values = values.saturatingAdd(head.count)
      try check(series <= Bounds.series && values <= Bounds.values + Bounds.measurements)
      guard head.number == 0 || Catalogue.metric(number: head.number) != nil else { throw Refusal.unknownMetric }
      if head.number == 0 { try check(report.metric(of: head).name) }
      if head.isLabelled { try check(report.label()) }
      try check(head.time, received)
      try check(try report.value(of: head))
      if let extent = try report.extent(of: head) { try check(extent) }
      // The start is part of the stream's name. It is kept as sent, however wrong the device's clock is.
      if let accumulation = try report.accumulation(of: head) {
        try check((0...Bounds.latestStart).contains(accumulation.start.milliseconds))
      }
    }
  }

  private func check(_ value: Measurement.Value) throws(Refusal) {
    switch value {
    case .counter(let sum): try check(Self.isAmount(sum))
    case .samples(let samples): try check(samples.allSatisfy { Self.isAmount($0) })
    case .spans(let spans):
      try check(
        spans.allSatisfy { span in
          Self.isAmount(span.low, Bounds.sum) && span.low <= span.high
            && (span.high == .infinity || Self.isAmount(span.high, Bounds.sum)) && span.count <= Bounds.count
        })
    case .exponential(let histogram):
      let indices = histogram.buckets.map(\.index)
      try check(
        histogram.zeros <= Bounds.joined && histogram.buckets.allSatisfy { (1...Bounds.joined).contains($0.count) }
          && zip(indices, indices.dropFirst()).allSatisfy { $0 < $1 }
          && indices.allSatisfy { $0.magnitude <= UInt(Bounds.index) })
    }
  }

  private func check(_ extent: Extent) throws(Refusal) {
    try check(Self.isAmount(extent.sum, Bounds.sum))
    for bound in [extent.minimum, extent.maximum] { try check(bound.map { Self.isAmount($0) } ?? true) }
  }

  /// Whether a number is finite, not negative and at most `most`.
  private static func isAmount(_ number: Double, _ most: Double = Bounds.value) -> Bool {
    number >= 0 && number <= most
  }
}

// MARK: Sessions and diagnostics

extension RelayedRecordValidator {
  private func check(_ sessions: [HashedSessionUpdate], _ received: Timestamp) throws(Refusal) {
    try check(sessions.count <= Bounds.sessions)
    for session in sessions {
      try check(session.started, received)
      try check(session.duration.map { Self.isAmount($0) } ?? true)
    }
  }

  private func check(_ diagnostics: [RecordedDiagnostic], _ received: Timestamp) throws {
    try check(diagnostics.count <= Bounds.diagnostics)
    for diagnostic in diagnostics {
      try check(diagnostic.time, received)
      for text in [diagnostic.exception.name, diagnostic.exception.termination, diagnostic.exception.reason] {
        try check(lines: text)
      }
      try check(diagnostic.bodySize <= Bounds.body)
      try diagnostic.body.withContent(limit: PackedJSON.largest(ofText: diagnostic.bodySize)) { body in
        let text = try PackedJSON([UInt8](body)).text(limit: diagnostic.bodySize)
        guard text.count == diagnostic.bodySize else { throw Refusal.unreadable }
      }
      let calls = try diagnostic.calls.withContent(limit: Bounds.body) { try CallTree(recorded: $0) }
      try check(calls)
    }
  }

  private func check(_ calls: CallTree) throws(Refusal) {
    try check(
      calls.frames.count <= Bounds.frames && calls.threads.count <= Bounds.frames
        && calls.binaries.count <= Bounds.binaries)
    for binary in calls.binaries {
      try check(binary.name)
      try check(binary.uuid)
    }
    for symbol in calls.frames.lazy.compactMap(\.symbol) {
      // A function's name from a crash text may fill a whole line.
      try check(lines: symbol.function)
      try check(lines: symbol.file)
    }
  }
}
