internal import JSON
internal import Telemetry

extension PayloadDecoder {
  /// The reports in crash reports as text, one behind the other; nil for a body that begins otherwise.
  func crashTexts(
    _ body: UnsafeRawBufferPointer, _ context: DecodingContext, _ load: RequestLoad
  ) throws(DecodingFailure) -> [Report]? {
    guard CrashTextLines.isPossible(body) else { return nil }
    let all = try CrashTextLines(body).reports
    var reports: [Report] = []
    for lines in all {
      guard load.take(.diagnostics) else {
        throw DecodingFailure(
          .value, path: "line \(lines.all.first?.number ?? 1)", RequestLoad.tooMany(.diagnostics))
      }
      var hash = ContentHash(seed: 0x0A99_1E01)
      // One by itself is known by its bytes, as it always was.
      if all.count == 1 { hash.combine(body.bindMemory(to: UInt8.self)) } else { hash.combine(lines.text) }
      reports.append(try CrashTextReader.report(of: lines, contentHash: hash.value, context, load))
    }
    return reports
  }
}
