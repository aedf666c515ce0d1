import Foundation
import TestSupport
import Testing

@testable import App
@testable import SQLiteStore
@testable import Web

/// Numbers of documents that only a long wait could show. Each is compared with the constant that the code uses.
@Suite("Numbers that documents promise")
struct PromisedNumberTests {
  private func expect<Value: Equatable>(
    _ document: String, _ sentence: String, _ value: Value, _ promised: Value
  ) throws {
    let words = try Checkout.text(document).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains(sentence), "\(document) has no \"\(sentence)\"")
    #expect(value == promised, "\(document): \(sentence)")
  }

  @Test("a login lasts as long as SECURITY.md promises")
  func login() throws {
    try expect("SECURITY.md", "login lasts a week by default", LoginSettings().sessionSeconds, 604_800)
  }

  @Test("a server applies retention as often as docs/deployment.md promises, and keeps as much of the journal")
  func retention() throws {
    let document = "docs/deployment.md"
    try expect(document, "`serve` does so every hour", PeriodicTasks.maintenanceInterval, 3600)
    try expect(document, "the journal keeps only 64 MiB", Pipeline.mostAppliedBytesWhenFull, 67_108_864)
  }

  @Test("deletions pause at most as long as docs/limits.md promises")
  func deletions() throws {
    let sentence = "a pause between two passes is at most ten minutes"
    try expect("docs/limits.md", sentence, DatabaseRewriter.longestRest, .seconds(600))
  }

  @Test("an ingest node contacts its primary as often as docs/scaling.md promises")
  func nodes() throws {
    let document = "docs/scaling.md"
    try expect(document, "from the primary every three seconds", PeriodicTasks.configurationInterval, 3)
    try expect(document, "unreachable for more than 30 seconds", ConfigurationRefresh.staleAfter, 30_000)
    try expect(document, "contacts the primary every 10 seconds", NodeRelay.heartbeat, 10)
  }

  @Test("a primary waits for ClickHouse as long as docs/scaling-reference.md promises")
  func clickHouse() throws {
    let document = "docs/scaling-reference.md"
    try expect(document, "took more than two seconds", ConsistentReads.longest, .seconds(2))
    try expect(document, "waits for at most 15 seconds", FactFeed.longestStop, 15)
  }
}
