import Testing

@testable import App
@testable import Core
@testable import Storage

@Suite("A frame of a relay")
struct RelayFrameTests {
  private static let parts: [RelayPart] = [
    .records(
      PendingRecords(
        app: 7, bytes: [2, 1, 2, 1, 9], count: 2, receipt: Receipt(key: .max, content: 5),
        received: Timestamp(milliseconds: 1_795_168_950_000))),
    .missing(3),
    .records(
      PendingRecords(app: 0, bytes: [0], count: 1, receipt: nil, received: Timestamp(milliseconds: -1))),
  ]

  private func decode(_ bytes: [UInt8]) throws -> RelayFrame { try bytes.withUnsafeBytes { try RelayFrame($0) } }

  @Test("a relay frame arrives unchanged")
  func roundTrip() throws {
    let sent = RelayFrame(fingerprint: 42, parts: Self.parts)
    let found = try decode(sent.encoded())
    #expect(found.fingerprint == 42)
    #expect("\(found.parts)" == "\(Self.parts)")
    #expect(try decode(RelayFrame(fingerprint: 1, parts: []).encoded()).parts.isEmpty)
  }

  @Test("a relay frame with any damage is refused or has other content, and never causes a trap")
  func damaged() throws {
    let whole = RelayFrame(fingerprint: 42, parts: Self.parts).encoded()
    for length in 0..<whole.count { #expect(throws: RelayFrame.Failure.self) { try decode(Array(whole[..<length])) } }
    for index in whole.indices {
      for bit in 0..<8 {
        var bytes = whole
        bytes[index] ^= 1 << bit
        _ = try? decode(bytes)
      }
    }
  }

  @Test("a relay frame with counts that differ from its records is refused")
  func wrongCounts() throws {
    for count in [1, 3, Int.max] {
      let records = PendingRecords(
        app: 0, bytes: [1, 9, 1, 9], count: count, receipt: nil, received: Timestamp(milliseconds: 0))
      let frame = RelayFrame(fingerprint: 1, parts: [.records(records)])
      #expect(throws: RelayFrame.Failure.self) { try decode(frame.encoded()) }
    }
    #expect(throws: RelayFrame.Failure.self) { try decode(RelayFrame(fingerprint: 1, parts: [.missing(0)]).encoded()) }
    let short = PendingRecords(
      app: 0, bytes: [UInt8](repeating: 0, count: RelayFrame.mostRecords + 1), count: RelayFrame.mostRecords + 1,
      receipt: nil, received: Timestamp(milliseconds: 1))
    #expect(throws: RelayFrame.Failure.self) {
      try decode(RelayFrame(fingerprint: 1, parts: [.records(short)]).encoded())
    }
    let many = RelayFrame(fingerprint: 1, parts: Array(repeating: .missing(1), count: 50_001))
    #expect(throws: RelayFrame.Failure.self) { try decode(many.encoded()) }
  }
}
