internal import JSON
internal import Telemetry

extension PayloadDecoder {
  /// The report in a crash report as text; nil for a body that begins otherwise.
  func crashText(_ body: UnsafeRawBufferPointer, _ context: DecodingContext) throws(DecodingFailure) -> Report? {
    guard CrashTextLines.isPossible(body) else { return nil }
    var hash = ContentHash(seed: 0x0A99_1E01)
    hash.combine(body.bindMemory(to: UInt8.self))
    return try CrashTextReader.report(of: CrashTextLines(body), contentHash: hash.value, context)
  }
}
