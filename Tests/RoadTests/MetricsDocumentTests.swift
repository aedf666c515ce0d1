import Foundation
import Testing

/// `docs/metrics.md` is what `plumb metrics --format markdown` prints. `RECORD=1 make test` writes it anew.
@Test("docs/metrics.md says what the catalogue says")
func metricsDocumentIsCurrent() throws {
  let document = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../docs/metrics.md").standardizedFileURL
  let printed = try outputOfPlumb("metrics", "--format", "markdown")
  if ProcessInfo.processInfo.environment["RECORD"] == "1" { try printed.write(to: document) }
  let kept = try Data(contentsOf: document)
  #expect(
    String(decoding: printed, as: UTF8.self) == String(decoding: kept, as: UTF8.self),
    "docs/metrics.md is not current: RECORD=1 make test writes it")
}

/// Runs the command that the build puts beside the tests.
private func outputOfPlumb(_ arguments: String...) throws -> Data {
  let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
  let process = Process()
  process.executableURL = URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("plumb")
  process.arguments = arguments
  let output = Pipe()
  process.standardOutput = output
  try process.run()
  let printed = output.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  #expect(process.terminationStatus == 0)
  return printed
}
