import Testing
import TestSupport

@testable import App
@testable import Core
@testable import Storage

@Suite("Frames for standbys")
struct StandbyFrameTests {
  private static let excerpt = JournalExcerpt(
    batches: [
      JournalExcerpt.Batch(
        first: 4, through: 6, received: 1_700_000_000_000, dictionary: 1, records: [1, 2, 3],
        origin: JournalExcerpt.Origin(node: NodeID("0123456789abcdef"), position: 17)),
      JournalExcerpt.Batch(first: 9, through: 9, received: -1, dictionary: 0, records: []),
    ],
    keys: [
      JournalExcerpt.Key(app: 3, receipt: Receipt(key: .max, content: 0), received: 12, through: 6, count: 3)
    ],
    end: JournalExcerpt.End(
      last: 11,
      nodes: [
        IngestNode(id: NodeID("0123456789abcdef"), name: "Knoten", position: 17, heard: Timestamp(milliseconds: 5))
      ]))

  private static func frame(_ reading: JournalReading) -> StandbyFrame {
    StandbyFrame(
      epoch: Epoch(
        number: 2, promotion: "c3", successor: Epoch.Successor(number: 3, address: "https://b.example")),
      peers: ["https://c.example", "https://d.example"], erasures: 7,
      controlTag: "a1", filesTag: "b2", reading: reading)
  }

  @Test("a frame for a standby is read as it was written")
  func roundTrip() throws {
    var open = Self.excerpt
    open.end = nil
    for reading in [JournalReading.excerpt(Self.excerpt), .excerpt(open), .purged, .diverged] {
      let frame = Self.frame(reading)
      #expect(try frame.encoded().withUnsafeBytes { try StandbyFrame($0) } == frame)
    }
  }

  @Test("a truncated or changed frame for a standby is refused or read, and never ends the process")
  func damaged() {
    let bytes = Self.frame(.excerpt(Self.excerpt)).encoded()
    for count in 0..<bytes.count {
      #expect(throws: DamagedBytes.self) { try bytes.prefix(count).withUnsafeBytes { try StandbyFrame($0) } }
    }
    var random = SeededRandom(seed: 7)
    for _ in 0..<20_000 {
      var changed = bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        changed[Int.random(in: 0..<changed.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      _ = try? changed.withUnsafeBytes { try StandbyFrame($0) }
    }
  }

  @Test("an epoch is believed only if it is signed with the secret of the installation")
  func claims() throws {
    let secret = [UInt8](repeating: 9, count: 32)
    let claim = EpochClaim(Epoch(number: 4, promotion: "a7"), address: "https://b.example")
    let body = claim.encoded(secret)
    #expect(EpochClaim(body, secret) == claim)
    #expect(EpochClaim(body, [UInt8](repeating: 8, count: 32)) == nil)
    let raised = String(decoding: body, as: UTF8.self).replacing("\"epoch\":4", with: "\"epoch\":5")
    #expect(raised.utf8.elementsEqual(body) == false)
    #expect(EpochClaim(Array(raised.utf8), secret) == nil)
    let another = String(decoding: body, as: UTF8.self).replacing("\"a7\"", with: "\"a8\"")
    #expect(another.utf8.elementsEqual(body) == false)
    #expect(EpochClaim(Array(another.utf8), secret) == nil)
    #expect(EpochClaim(Array("{}".utf8), secret) == nil)
  }
}
