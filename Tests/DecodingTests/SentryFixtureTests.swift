import Foundation
import Testing
import TestSupport

@testable import Core
@testable import Ingest

/// Collected envelopes beside the repository; read in place where they exist.
private let folder = Checkout.collected("fixtures/sentry")

private let collected =
  ((try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? [])
  .sorted { $0.path < $1.path }

@Test(
  "collected Sentry envelopes are read completely",
  .enabled(if: Collected.exists(folder), "There are no collected envelopes beside the repository."),
  arguments: collected)
func collectedEnvelopes(file: URL) throws {
  let decoded = try decode([UInt8](Data(contentsOf: file)), as: .sentryEnvelope)
  #expect(decoded.rejection == nil)
  let sessions = decoded.reports.flatMap(\.sessions)
  let name = file.lastPathComponent
  if name.contains("aggregates") {
    #expect(sessions.count == 138 && sessions.count { $0.outcome == .errored } == 3)
    #expect(decoded.reports.map(\.environment) == ["development"])
  } else if name.contains("session") {
    #expect(sessions.count == 1 && sessions[0].started.iso == "2020-02-07T14:16:00Z")
    #expect(decoded.reports[0].release.version == "1.0.0")
  } else {
    #expect(decoded.eventID == "9ec79c33ec9942ab8353589fcb2e04dc" && sessions.isEmpty)
    #expect(decoded.reports.flatMap(\.diagnostics).map(\.kind) == (name.contains("2items") ? [.error] : []))
  }
}
