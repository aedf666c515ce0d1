@testable import Core
@testable import Ingest

/// Everything a record of a report says, read through to its end.
struct Reread: Equatable {
  var app: Int32 = 0
  var received = Timestamp(milliseconds: 0)
  var clock = TimeZoneOffsets.utc
  var source = Source.native
  var environment = ""
  var release = Release(version: "")
  var device = Device(model: "", system: OperatingSystem(name: "", version: ""))
  var measurements: [Measurement] = []
  var sessions: [HashedSessionUpdate] = []
  var client = ""
  var diagnostics: [RecordedDiagnostic] = []
  var losses: [ClientLoss] = []
  var remarks: Remarks?

  /// Reads `bytes`; nil when they hold a tally.
  init?(_ bytes: [UInt8]) throws {
    let isReport = try bytes.withUnsafeBytes { buffer in
      let record = try RecordReader(buffer)
      guard case .report(var report) = record.content else { return false }
      (received, clock) = (record.received, record.clock)
      let origin = try ReportContext(report.origin)
      (app, source, environment) = (origin.app, origin.source, origin.environment)
      (release, device) = (origin.release, origin.device)
      while let head = try report.nextMeasurement() { measurements.append(try Self.reading(head, &report)) }
      sessions = try report.sessions()
      client = String(decoding: report.client, as: UTF8.self)
      diagnostics = try report.diagnostics()
      losses = try report.losses()
      remarks = try report.remarks()
      return true
    }
    if !isReport { return nil }
  }

  private static func reading(_ head: MeasurementHead, _ report: inout ReportReader) throws -> Measurement {
    let metric = report.metric(of: head)
    let label = report.label()
    let value = try report.value(of: head)
    let extent = try report.extent(of: head)
    return Measurement(
      metric, label: label, at: head.time, value, extent: extent, accumulation: try report.accumulation(of: head))
  }

  static func tally(_ bytes: [UInt8]) throws -> (app: Int32, tally: TallyRecord)? {
    try bytes.withUnsafeBytes { buffer in
      guard case .tally(let app, let tally) = try RecordReader(buffer).content else { return nil }
      return (app, tally)
    }
  }
}

/// Bytes ↔ hexadecimal digits, so that a fixture can be read next to `docs/record.md`.
enum Hex {
  static func bytes(_ text: String) -> [UInt8] {
    let digits = text.utf8.filter { $0 > 32 }
    return stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
    }
  }

  static func text(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
