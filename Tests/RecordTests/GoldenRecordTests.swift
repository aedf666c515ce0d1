import Foundation
import Testing

@testable import Core
@testable import Ingest

/// Records of every version lie in journals out there: these bytes must be readable for ever.
struct GoldenRecordTests {
  static let report = """
    010180b4b086bf68a038360702000a74657374666c6967687405342e322e3004313233340a6950686f6e6531352c3203694f
    530631372e342e31063231453233360602640102c00c880e03d08c0101000000000000f07f011190030280f496ca01010000
    00000000e03f13e204f80a29cd01084361727456696577bfa90702c80601ec51b81e85ab30400200010000127369676e706f
    73742e636172742e6c6f61640101020202130005010e0473617665080207043b7f716be8866b64ffb9b70306a6364ea6379b
    ccf60100000000008873400000ee80716be8876b640080b4b086bf680201
    """
  static let reportOfVersionTwo = """
    020180b4b086bf68a038360702000a74657374666c6967687405342e322e3004313233340a6950686f6e6531352c3203694f
    530631372e342e31063231453233361353686f702f313233342043464e6574776f726b0902640102c00c880e03d08c010100
    0000000000f07f011190030280f496ca0101000000000000e03f13e204f80a29cd01084361727456696577bfa90702c80601
    ec51b81e85ab30400200010000127369676e706f73742e636172742e6c6f61640101020202130005010e047361766508cccd
    01000206024f01dc010903010000000000487a4000ac07edfe0000000000009ffe0a9be204180100000000000000005a6401
    000a02000e0207043b7f716be8866b64ffb9b70306a6364ea6379bccf60100000000008873400000ee80716be8876b640080
    b4b086bf68027d0100f0debc9a785634123b7f716be8866b64a6364ea6379bccf602ffffffffffffffff160e4558435f4241
    445f414343455353194e616d657370616365205349474e414c2c20436f6465203131005c010453686f702030303131323233
    3334343535363637373838393941414242434344444545464603020000808a80801001030101b424808a8080100105010101
    030a636865636b6f757428290a436172742e73776966740c0100030113137b2276657273696f6e223a22312e302e30227d02
    02010200000000000000c0b8020000000300000002027b7d010773657373696f6e11726174656c696d69745f6261636b6f66
    6604020103
    """
  static let tallyOfVersionTwo =
    "020280b4b086bf68a03807020b6375726c2f372e38382e310673796e746178075b305d2e617070ac02"
  static let tally = "010280b4b086bf68a03807020673796e746178075b305d2e617070ac02"

  /// Version 3 differs in the clock alone: two hours ahead, and one change 1,800 seconds before the receipt.
  static let reportOfVersionThree = reportOfVersionTwo.replacingOccurrences(
    of: "020180b4b086bf68a038", with: "030180b4b086bf68c07001ffdcdb01a038")
  static let tallyOfVersionThree = tallyOfVersionTwo.replacingOccurrences(
    of: "020280b4b086bf68a038", with: "030280b4b086bf68a03800")

  /// Version 4 differs in spans whose edges are whole numbers: twice [1, 1], and twice [0, 5).
  static let reportOfVersionFour = [
    ("030180b4", "040180b4"), ("304002000100", "304005000100"), ("010102020213", "010105020013"),
    ("5a6401000a0200", "5d640105000500"),
  ].reduce(Hex.text(Hex.bytes(reportOfVersionThree))) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
  static let tallyOfVersionFour = tallyOfVersionThree.replacingOccurrences(of: "030280b4", with: "040280b4")

  /// Version 8 states that there is no first run, and the form of each diagnostic's call stacks and body.
  static let reportOfVersionEight = [
    ("040180b4", "080180b4"), ("6574776f726b0902", "6574776f726b000902"), ("31005c0104", "3100005a0104"),
    ("b8020000000300000002027b7d", "b802000000000300000002027b7d"),
    // The second frame has one sample, and the first calls it.
    ("030101b424808a80801001", "1301b424808a808010"),
  ].reduce(reportOfVersionFour) { $0.replacingOccurrences(of: $1.0, with: $1.1) }

  @Test("version 8 of a report has its released bytes, and the content of version 3")
  func writesReport() throws {
    let bytes = RecordWriter.encode(Samples.full, Samples.headerWithClient, seal: Samples.seal)
    #expect(Hex.text(bytes) == Self.reportOfVersionEight)
    // Call stacks and bodies of older versions are frames of zstd. Version 8 may have them, too.
    let frames = [
      ("3100005a0104", "3100015c0104"), ("b802000000000300000002027b7d", "b802000000010300000002027b7d"),
      ("1301b424808a808010", "030101b424808a80801001"),
    ]
    .reduce(Self.reportOfVersionEight) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
    let older = try #require(try Reread(Hex.bytes(Self.reportOfVersionThree)))
    #expect(
      try Reread(Hex.bytes(frames)) == older && older.diagnostics.allSatisfy { $0.calls.isFrame && $0.body.isFrame })
    var read = try #require(try Reread(bytes))
    for (stored, sent) in zip(read.diagnostics, Samples.full.diagnostics) {
      #expect(try stored.calls.withContent(limit: 1 << 20) { try CallTree(recorded: $0) } == sent.calls)
    }
    #expect(read.diagnostics.map(\.body) == older.diagnostics.map { CompressibleBytes($0.body.bytes) })
    read.diagnostics = older.diagnostics
    #expect(read == older)
  }

  /// Version 4 of the same report without diagnostics, as it is still written.
  static let reportWithoutDiagnostics: String = {
    let whole = reportOfVersionFour
    guard let begin = whole.range(of: "027d0100f0debc9a"), let end = whole.range(of: "0300000002027b7d") else {
      return ""
    }
    return whole[..<begin.lowerBound] + "00" + whole[end.upperBound...]
  }()

  @Test("version 4 of a report without diagnostics has its released bytes")
  func writesReportWithoutDiagnostics() throws {
    let bytes = RecordWriter.encode(Samples.withoutDiagnostics, Samples.headerWithClient, seal: Samples.seal)
    #expect(Hex.text(bytes) == Self.reportWithoutDiagnostics)
  }

  @Test("version 4 of a tally is written and read with its released bytes")
  func writesTally() throws {
    let bytes = RecordWriter.encode(Samples.tallyWithClient, Samples.header)
    #expect(Hex.text(bytes) == Self.tallyOfVersionFour)
    #expect(try Reread.tally(bytes)?.tally == Samples.tallyWithClient)
    #expect(try Reread.tally(Hex.bytes(Self.tallyOfVersionThree))?.tally == Samples.tallyWithClient)
  }

  @Test("version 3 of a report has the clock's offset at every instant")
  func readsClock() throws {
    let read = try #require(try Reread(Hex.bytes(Self.reportOfVersionThree)))
    let change = TimeZoneOffsets.Change(
      at: Timestamp(milliseconds: Samples.received.milliseconds - 1_800_000), utcOffsetSeconds: 3600)
    #expect(read.clock == TimeZoneOffsets(utcOffsetSeconds: 7200, changes: [change]))
    var older = try #require(try Reread(Hex.bytes(Self.reportOfVersionTwo)))
    #expect(older.clock == TimeZoneOffsets(utcOffsetSeconds: 3600))
    older.clock = read.clock
    #expect(older == read)
  }

  @Test("version 2 of a tally is read from its released bytes")
  func readsSecondTally() throws {
    #expect(try Reread.tally(Hex.bytes(Self.tallyOfVersionTwo))?.tally == Samples.tallyWithClient)
  }

  @Test("version 1 of a report is read with its original meaning")
  func readsReport() throws {
    let read = try #require(try Reread(Hex.bytes(Self.report)))
    #expect(read.app == 7)
    #expect(read.received.iso == "2026-11-20T10:00:00Z")
    #expect(read.clock == TimeZoneOffsets(utcOffsetSeconds: 3600))
    #expect(read.source == .native)
    #expect(read.environment == "testflight")
    #expect(read.release == Release(version: "4.2.0", build: "1234"))
    #expect(read.device == Samples.rich.device)
    #expect(read.measurements == Samples.rich.measurements)
    #expect(read.remarks == Remarks(rejectedSamples: 2, unknownUnits: 1, assumedTimes: 0))
    #expect(read.client.isEmpty && read.diagnostics.isEmpty && read.losses.isEmpty)
    #expect(read.sessions.map(\.outcome) == [.crashed, .healthy])
    // Without a number of its own an update is ordered by its moment; without that, by its receipt.
    #expect(read.sessions.map(\.sequence) == [3, nil])
    #expect(read.sessions.map(\.updated) == [nil, Timestamp(milliseconds: 1_795_168_800_000)])
    #expect(read.sessions[0].started.iso == "2026-11-20T09:00:00Z")
    #expect(read.sessions[0].duration == 312.5)
    #expect(read.sessions[0].user == Samples.hash("u1", "user 7"))
    #expect(read.sessions[1].user == nil)
    #expect(read.sessions[1].duration == nil)
  }

  @Test("version 1 of a tally is read from its released bytes")
  func readsTally() throws {
    let read = try #require(try Reread.tally(Hex.bytes(Self.tally)))
    #expect(read.app == 7)
    #expect(read.tally == TallyRecord(kind: 2, reason: "syntax", detail: "[0].app", count: 300))
  }

  @Test("a record of an unknown version is refused, without guessing")
  func refusesOtherVersions() {
    var bytes = Hex.bytes(Self.report)
    bytes[0] = 5
    #expect(throws: (any Error).self) { try Reread(bytes) }
  }
}
