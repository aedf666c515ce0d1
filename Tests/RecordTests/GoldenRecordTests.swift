import Record
import Telemetry
import Testing

/// Records of version 1 lie in journals out there: these bytes must be readable for ever.
struct GoldenRecordTests {
  static let report = """
    010180b4b086bf68a038360702000a74657374666c6967687405342e322e3004313233340a6950686f6e6531352c3203694f
    530631372e342e31063231453233360602640102c00c880e03d08c0101000000000000f07f011190030280f496ca01010000
    00000000e03f13e204f80a29cd01084361727456696577bfa90702c80601ec51b81e85ab30400200010000127369676e706f
    73742e636172742e6c6f61640101020202130005010e0473617665080207043b7f716be8866b64ffb9b70306a6364ea6379b
    ccf60100000000008873400000ee80716be8876b640080b4b086bf680201
    """
  static let tally = "010280b4b086bf68a03807020673796e746178075b305d2e617070ac02"

  @Test("version 1 of a report is written byte for byte as it was shipped")
  func writesReport() {
    let bytes = RecordWriter.encode(Samples.rich, Samples.header, hash: Samples.hash)
    #expect(Hex.text(bytes) == Hex.text(Hex.bytes(Self.report)))
  }

  @Test("version 1 of a report is read as it was meant")
  func readsReport() throws {
    let read = try #require(try Reread(Hex.bytes(Self.report)))
    #expect(read.app == 7)
    #expect(read.received.iso == "2026-11-20T10:00:00Z")
    #expect(read.utcOffsetSeconds == 3600)
    #expect(read.source == .native)
    #expect(read.environment == "testflight")
    #expect(read.release == Release(version: "4.2.0", build: "1234"))
    #expect(read.device == Samples.rich.device)
    #expect(read.readings == Samples.rich.readings)
    #expect(read.rejectedSamples == 2)
    #expect(read.warnings == 1)
    #expect(read.sessions.map(\.outcome) == [.crashed, .healthy])
    #expect(read.sessions.map(\.isSequenceExplicit) == [true, false])
    // Without a number of its own an update is ordered by its moment; without that, by its receipt.
    #expect(read.sessions.map(\.sequence) == [3, 1_795_168_800_000])
    #expect(read.sessions[0].started.iso == "2026-11-20T09:00:00Z")
    #expect(read.sessions[0].duration == 312.5)
    #expect(read.sessions[0].user == Samples.hash("u1", "user 7"))
    #expect(read.sessions[1].user == nil)
    #expect(read.sessions[1].duration == nil)
  }

  @Test("version 1 of a tally is written and read as it was shipped")
  func readsTally() throws {
    let bytes = RecordWriter.encode(Samples.tally, Samples.header)
    #expect(Hex.text(bytes) == Self.tally)
    let read = try #require(try Reread.tally(Hex.bytes(Self.tally)))
    #expect(read.app == 7)
    #expect(read.tally == RecordTally(kind: 2, reason: "syntax", detail: "[0].app", count: 300))
  }

  @Test("a record of another version is refused, not guessed at")
  func refusesOtherVersions() {
    var bytes = Hex.bytes(Self.report)
    bytes[0] = 2
    #expect(throws: (any Error).self) { try Reread(bytes) }
  }
}
