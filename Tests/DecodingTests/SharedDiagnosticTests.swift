import Foundation
import Testing
import TestSupport

@testable import Core
@testable import Ingest

private func fixture(_ path: String) throws -> [UInt8] {
  [UInt8](try Data(contentsOf: Checkout.collected("fixtures/metrickit/\(path)")))
}

private let isCollected = Collected.exists(Checkout.collected("fixtures/metrickit"))
private let missing: Comment = "There are no collected documents beside the repository."

/// What a collected document holds, counted from it by another program: kinds in any order, threads and frames of all.
private struct Holding: CustomStringConvertible, Sendable {
  let description: String
  let kinds: Set<DiagnosticKind>
  let threads: Int
  let frames: Int
  var environment = "production"
}

private let holdings = [
  Holding(description: "diagnostic/duckduckgo-debug-stub.json", kinds: [.crash], threads: 0, frames: 0),
  Holding(description: "diagnostic/meter-ios-uncaught-exception.json", kinds: [.crash], threads: 10, frames: 50),
  Holding(
    description: "diagnostic/meter-xcode-simulated.json", kinds: [.crash, .hang, .cpuException, .diskWriteException],
    threads: 4, frames: 4, environment: "simulated"),
  Holding(
    description: "diagnostic/meter-xcode-simulated-macOS12.json",
    kinds: [.crash, .hang, .cpuException, .diskWriteException], threads: 4, frames: 4, environment: "simulated"),
  Holding(
    description: "diagnostic/meter-xcode-simulated-macOS13.json",
    kinds: [.crash, .hang, .cpuException, .diskWriteException, .launchFailure], threads: 5, frames: 5,
    environment: "simulated"),
  Holding(
    description: "diagnostic/sentry-callstacktree-not-per-thread-only-one-frame.json", kinds: [.cpuException],
    threads: 1, frames: 2),
  Holding(
    description: "diagnostic/sentry-callstacktree-not-per-thread.json", kinds: [.cpuException], threads: 1, frames: 14),
  Holding(
    description: "diagnostic/sentry-callstacktree-per-thread-flamegraph.json", kinds: [.hang], threads: 1, frames: 4),
  Holding(
    description: "diagnostic/sentry-callstacktree-per-thread-nil-package.json", kinds: [.crash], threads: 1, frames: 1),
  Holding(description: "diagnostic/sentry-callstacktree-per-thread.json", kinds: [.crash], threads: 2, frames: 6),
  Holding(description: "diagnostic/sentry-callstacktree-tree-real.json", kinds: [.crash], threads: 16, frames: 92),
  Holding(
    description: "diagnostic/sentry-callstacktree-tree-unknown-fields.json", kinds: [.crash], threads: 1, frames: 3),
  Holding(
    description: "ios27/posthog-test-memoryException-diagnosticReport.synthetic.json", kinds: [.memoryException],
    threads: 1, frames: 2),
]

@Test(
  "collected diagnostics have the counts that another program finds in them", .enabled(if: isCollected, missing),
  arguments: holdings)
private func collected(holding: Holding) throws {
  let bytes = try fixture(holding.description)
  let reports = try decode(bytes)
  #expect(reports.count == 1 && reports[0].environment == holding.environment)
  let found = reports.diagnostics
  #expect(found.count == holding.kinds.count && Set(found.map(\.kind)) == holding.kinds)
  #expect(found.map(\.calls.threads.count).reduce(0, +) == holding.threads)
  #expect(found.map(\.calls.frames.count).reduce(0, +) == holding.frames)
  #expect(reports[0].rejectedSamples == 0 && reports[0].unknownUnits == 0)
}

@Test("a truncated collected diagnostic is refused", .enabled(if: isCollected, missing))
func collectedGarbage() throws {
  let bytes = try fixture("diagnostic/sentry-callstacktree-tree-garbage.json")
  #expect { try decode(bytes) } throws: { ($0 as? DecodingFailure)?.reason == .syntax }
}

@Test(
  "the stack of a real crash of iOS 14 starts at its outermost frame, with offsets instead of load addresses",
  .enabled(if: isCollected, missing))
func collectedCrash() throws {
  let bytes = try fixture("diagnostic/meter-ios-uncaught-exception.json")
  let found = try #require(try decode(bytes).diagnostics.first)
  let crashed = try #require(found.calls.threads.first { $0.isAttributed })
  let first = found.calls.frames[crashed.range.lowerBound]
  let last = found.calls.frames[crashed.range.upperBound - 1]
  #expect(crashed.range.count == 31)
  #expect(found.calls.binaries[first.binary].name == "libdyld.dylib" && first.offset == 5528 && first.caller == -1)
  #expect(found.calls.binaries[last.binary].name == "MetricKitTest" && last.offset == 20924)
  #expect(found.calls.binaries[last.binary].uuid == "7C9A24C6CB8430538481DA167DA8FB9C")
  #expect(found.exception.signal == 11 && found.exception.name == "EXC_BAD_ACCESS")
  #expect(found.time == CalendarDay(iso: "2020-10-11").map { .day($0) })
}

@Test("the collected metric report of iOS 27 has its day and state", .enabled(if: isCollected, missing))
func collectedMetricReport() throws {
  let bytes = try fixture("ios27/telemetrydeck-test-metricReport.synthetic.json")
  let report = try #require(try decode(bytes).first)
  #expect(report.values("cpu.time") == [.counter(42)])
  #expect(report.values("hang.duration") == [.spans([Span(low: 0, high: 1000, count: 5)])])
  #expect(report.values("state.com.telemetrydeck.feature.cpu.time") == [.counter(5)])
  #expect(report.measurements.map(\.label) == ["", "", "premium"] && report.unknownUnits == 0)
}
