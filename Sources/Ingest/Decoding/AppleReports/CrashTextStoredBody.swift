internal import Core

/// The stored body of a `.crash` report: selected header lines and the stacks, as JSON.
struct CrashTextStoredBody {
  private var headers: [(key: StaticString, value: String)] = []
  private var texts: [String] = []

  /// The header lines to keep. They identify no person and no device.
  private static let kept: [StaticString] = [
    "Incident Identifier", "Hardware Model", "Process", "Identifier", "Version", "Code Type", "Role", "Parent Process",
    "Date/Time", "Launch Time", "OS Version", "Release Type", "Report Version", "Exception Type", "Exception Subtype",
    "Exception Codes", "Exception Note", "Termination Reason", "Triggered by Thread", "Crashed Thread", "AppVariant",
    "Beta",
  ]

  mutating func header(_ key: CrashText, _ value: String) {
    guard headers.count < Self.kept.count, let kept = Self.kept.first(where: { key == $0 }) else { return }
    headers.append((kept, value))
  }

  mutating func text(_ line: CrashText) {
    if texts.count < 50 { texts.append(line.name) }
  }

  /// The JSON, packed: a stack repeats the same names in every frame.
  func packed(_ calls: CallTree, keepsText: Bool, _ parser: JSONParser) -> PackedJSON {
    let json = json(calls, keepsText: keepsText)
    // A text of JSON is also a form of `PackedJSON`. It is kept if it is large or beyond the parser's limits.
    guard json.count <= Self.mostPacked else { return PackedJSON(json) }
    return (try? json.withUnsafeBytes { try parser.withDocument($0) { PackedJSON($0) { _, _, place in place } } })
      ?? PackedJSON(json)
  }

  /// The largest JSON to pack, in bytes. A usual report's is 20 to 200 KB, and parsing it takes several times its size.
  private static let mostPacked = 1 << 20

  private func json(_ calls: CallTree, keepsText: Bool) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      for (key, value) in headers { json.member(key.description) { $0.text(value) } }
      if keepsText, !texts.isEmpty {
        json.member("Application Specific Information") { $0.array(texts) { $0.text($1) } }
      }
      json.member("threads") { json in
        json.array(calls.threads) { json, thread in
          json.object { json in
            if thread.isAttributed { json.member("attributed") { $0.literal("true") } }
            json.member("frames") { json in
              json.array(calls.frames[thread.range].reversed()) { Self.write($1, calls, to: &$0) }
            }
          }
        }
      }
    }
    return json.bytes
  }

  private static func write(_ frame: CallTree.Frame, _ calls: CallTree, to json: inout JSONWriter) {
    json.object { json in
      if calls.binaries.indices.contains(frame.binary) {
        let binary = calls.binaries[frame.binary]
        json.member("binary") { $0.text(binary.name) }
        if !binary.uuid.isEmpty { json.member("uuid") { $0.text(binary.uuid) } }
      }
      if let offset = frame.offset { json.member("offset") { $0.literal(String(offset)) } }
      if let address = frame.address { json.member("address") { $0.literal(String(address)) } }
      guard let symbol = frame.symbol else { return }
      json.member("symbol") { $0.text(symbol.function) }
      if !symbol.file.isEmpty { json.member("file") { $0.text(symbol.file) } }
      if let line = symbol.line { json.member("line") { $0.literal(String(line)) } }
    }
  }
}
