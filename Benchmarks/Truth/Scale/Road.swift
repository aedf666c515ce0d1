import Core
import Dispatch
import Foundation
import Ingest
import SQLiteStore
import Storage

/// Intake, journal, digest and store in a folder, connected as on the server.
final class Road {
  static let app = App(
    id: 1, bundleID: "com.example.shop", created: Timestamp(milliseconds: 0), settings: AppSettings(), keys: [])

  let store: SQLiteStore
  private let folder: URL
  private let journal: SQLiteJournal
  private let loop: DigestLoop
  private let writer: JournalWriter
  private let intake: Intake
  private let decoder = PayloadDecoder()
  private let permits = DispatchSemaphore(value: 512)

  init(folder: URL) throws {
    self.folder = folder
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let store = try SQLiteStore(path: folder.appendingPathComponent("plumb.db").path)
    let journal = try SQLiteJournal(path: folder.appendingPathComponent("journal.db").path) {
      try store.position(of: $0).through
    }
    let loop = DigestLoop(journal: journal, store: store) { print("digest: \($0)") }
    let tallies = OutcomeCounter { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }
    writer = JournalWriter(journal: journal, counts: tallies.drain) { loop.offer($0) }
    intake = Intake(
      seal: Pseudonymizer(hash: Self.hash),
      context: { DecodingContext(received: $0.received) },
      writer: writer, tallies: tallies)
    (self.store, self.journal, self.loop) = (store, journal, loop)
    try loop.start()
    writer.start()
  }

  /// Submits the body of a request. At most 512 wait for the disk at once.
  func send(_ body: [UInt8], received: Timestamp) throws {
    permits.wait()
    try body.withUnsafeBytes { bytes in
      try intake.receive(bytes, Submission(app: 1, received: received), decoder: decoder) { [permits] _ in
        permits.signal()
      }
    }
  }

  /// Waits until everything is in the store.
  func finish() {
    writer.stop()
    loop.stop()
  }

  /// The bytes of the files whose names begin with `prefix`.
  func size(of prefix: String) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix(prefix) }.reduce(0) {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.appendingPathComponent($1).path)
      return $0 + ((attributes[.size] as? Int) ?? 0)
    }
  }

  /// FNV-1a, then the finish of SplitMix64, because user sets need every bit to be random.
  @Sendable private static func hash(_ text: String, _ scope: String) -> UInt64 {
    var z = (scope + "/" + text).utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}
