@testable import Core
@testable import Ingest

/// The reports that golden records of version 1 hold, and what a test needs to write and read them.
enum Samples {
  /// 2026-11-20T10:00:00Z
  static let received = Timestamp(milliseconds: 1_795_168_800_000)
  static let header = RecordHeader(app: 7, received: received, clock: clock)
  static let headerWithClient = RecordHeader(app: 7, received: received, clock: clock, client: "Shop/1234 CFNetwork")
  /// Two hours ahead until half past nine, one from then on. The change a year before is before all that reports name.
  static let clock = TimeZoneOffsets(
    utcOffsetSeconds: 3600,
    changes: [
      TimeZoneOffsets.Change(
        at: Timestamp(milliseconds: received.milliseconds - 31_536_000_000), utcOffsetSeconds: 7200),
      TimeZoneOffsets.Change(at: Timestamp(milliseconds: received.milliseconds - 1_800_000), utcOffsetSeconds: 3600),
    ])
  static let tallyWithClient = TallyRecord(
    kind: 2, client: "curl/7.88.1", reason: "syntax", detail: "[0].app", count: 300)
  static let day = MeasurementTime.day(CalendarDay(number: 20_776))

  /// Not the product's keyed hash: any function shows that ids are not written raw.
  @Sendable static func hash(_ text: String, _ scope: String) -> UInt64 {
    (scope + "/" + text).utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  static let seal = Pseudonymizer(hash: hash)

  static let rich = Report(
    source: .native, environment: "testflight", release: Release(version: "4.2.0", build: "1234"),
    device: Device(model: "iPhone15,2", system: OperatingSystem(name: "iOS", version: "17.4.1", build: "21E236")),
    measurements: [
      Measurement(
        .known(100), at: day, .spans([Span(low: 800, high: 900, count: 3), Span(low: 9000, high: .infinity, count: 1)])),
      Measurement(.known(400), at: day, .samples([212_000_000, 0.5])),
      Measurement(.known(610), at: day, .counter(700)),
      Measurement(
        .known(205), label: "CartView", at: .instant(Timestamp(milliseconds: received.milliseconds - 60_000)),
        .samples([420, 16.67])),
      Measurement(
        .custom(name: "signpost.cart.load", unit: .milliseconds, kind: .distribution), at: day,
        .spans([Span(low: 1, high: 1, count: 2)])),
      Measurement(.custom(name: "signpost.cart.save", unit: .count, kind: .counter), at: day, .counter(4)),
    ],
    sessions: [
      SessionUpdate(
        id: "s1", outcome: .crashed, started: Timestamp(milliseconds: received.milliseconds - 3_600_000), sequence: 3,
        user: "u1", duration: 312.5),
      SessionUpdate(id: "s2", outcome: .healthy, started: received),
    ], rejectedSamples: 2, unknownUnits: 1)

  /// What version 2 added.
  static let full: Report = {
    var report = rich
    report.measurements += [
      Measurement(
        .known(205), at: .instant(received),
        .exponential(
          ExponentialBuckets(scale: 3, zeros: 2, buckets: [.init(index: -40, count: 1), .init(index: 70, count: 9)])),
        extent: Extent(sum: 420.5, minimum: 0, maximum: 470),
        accumulation: CumulativeStream(stream: 0xfeed, start: Timestamp(milliseconds: received.milliseconds - 90_000))),
      Measurement(
        .known(610), at: .instant(received), .counter(12), accumulation: CumulativeStream(stream: 1, start: received)),
      Measurement(
        .known(100), at: .instant(received), .spans([Span(low: 0, high: 5, count: 2)]), extent: Extent(sum: 7)),
    ]
    report.diagnostics = [crash, hang]
    report.losses = [ClientLoss(category: "session", reason: "ratelimit_backoff", quantity: 4)]
    report.assumedTimes = 3
    return report
  }()

  private static let crash = Diagnostic(
    kind: .crash, time: .instant(received), identity: 0x1234_5678_9abc_def0,
    exception: ExceptionDetails(
      type: 1, code: .max, signal: 11, name: "EXC_BAD_ACCESS", termination: "Namespace SIGNAL, Code 11"),
    session: "s1", user: "u1",
    calls: CallTree(
      binaries: [CallTree.Binary(name: "Shop", uuid: "00112233445566778899AABBCCDDEEFF")],
      frames: [
        CallTree.Frame(caller: -1, address: 4_294_968_576),
        CallTree.Frame(caller: 0, binary: 0, offset: 4660, address: 4_294_968_576),
        CallTree.Frame(
          caller: 1, binary: 0, offset: 1, samples: 3,
          symbol: CallTree.Symbol(function: "checkout()", file: "Cart.swift", line: 12)),
      ], threads: [CallTree.Thread(range: 0..<3, isAttributed: true)]),
    body: PackedJSON(Array(#"{"version":"1.0.0"}"#.utf8)))

  static let withoutDiagnostics: Report = {
    var report = full
    report.diagnostics = []
    return report
  }()

  private static let hang = Diagnostic(
    kind: .hang, time: day, identity: 2, quantity: 20_000, body: PackedJSON(Array("{}".utf8)))

  static let tally = TallyRecord(kind: 2, reason: "syntax", detail: "[0].app", count: 300)

  /// A day's payload such as MetricKit delivers: histograms of many buckets, thirty sums, exits, signposts.
  static var dayPayload: Report {
    func buckets(_ metric: UInt16, _ count: Int, width: Double) -> Measurement {
      Measurement(
        .known(metric), at: day,
        .spans((0..<count).map { Span(low: Double($0) * width, high: Double($0 + 1) * width, count: 1 + $0 % 5) }))
    }
    let counters = [503, 504, 505, 506, 600, 601, 602, 610, 611, 612, 613, 620, 621, 622, 623, 624, 625].map {
      Measurement(.known(UInt16($0)), at: day, .counter(Double($0) * 1000))
    }
    let exits = ExitReason.allCases.flatMap { reason in
      [
        Measurement(.known(reason.foregroundMetric), at: day, .counter(3)),
        Measurement(.known(reason.backgroundMetric), at: day, .counter(13)),
      ]
    }
    let signposts = (0..<8).map { index in
      Measurement(
        .custom(name: "signpost.checkout.step-\(index)", unit: .milliseconds, kind: .distribution), at: day,
        .spans((0..<5).map { Span(low: Double($0) * 100, high: Double($0) * 100 + 100, count: 7) }))
    }
    var report = rich
    report.sessions = []
    report.measurements =
      [
        buckets(100, 15, width: 10), buckets(101, 5, width: 10), buckets(102, 15, width: 10),
        buckets(200, 12, width: 100),
        Measurement(.known(400), at: day, .samples([212_345_678])),
      ] + counters + exits + signposts
    return report
  }
}
