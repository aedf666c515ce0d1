internal import Core

/// The lines of a `.crash` report, with their line numbers. They are valid as long as the body.
struct CrashTextLines {
  struct Line {
    /// The number of a line in the request body, from 1.
    let number: Int
    let text: CrashText
  }

  let all: ArraySlice<Line>

  /// The most lines of a body. A crash report has a few thousand.
  private static let most = 100_000
  /// The length in bytes to which lines are cut. Function names and an app's last message may be long.
  private static let longest = 2_000

  /// Passes the lines of a body to `read`. Invalid UTF-8 becomes U+FFFD.
  static func read<Result>(
    _ body: UnsafeRawBufferPointer, _ read: (CrashTextLines) throws(DecodingFailure) -> Result
  ) throws(DecodingFailure) -> Result {
    let content = CrashText(body)[(startsWithMark(body) ? 3 : 0)...]
    // Nearly all reports are ASCII. Without an early exit, the compiler checks many bytes at once.
    if content.bytes.reduce(0, { $0 | $1 }) < 0x80 { return try read(CrashTextLines(content)) }
    var text = String(decoding: content.bytes, as: UTF8.self).streamSafe
    return try text.withUTF8 { bytes in
      Swift.Result { () throws(DecodingFailure) in try read(CrashTextLines(CrashText(bytes))) }
    }.get()
  }

  private init(_ content: CrashText) throws(DecodingFailure) {
    var lines: [Line] = []
    // Text before the first report is skipped, for example that of an email around it.
    var start: Int?
    for line in content.lines {
      guard lines.count < Self.most else { throw Self.tooMany }
      let text = Self.cut(line.bytes.last == UInt8(ascii: "\r") ? line[0..<line.count - 1] : line)
      if start == nil, Self.isFirst(text) { start = lines.count }
      lines.append(Line(number: lines.count + 1, text: text))
    }
    all = lines[(start ?? 0)...]
  }

  private static let tooMany = DecodingFailure(
    .value, path: "line \(most + 1)", "a body of crash reports may have at most \(most) lines; split it")

  /// The line cut to at most `longest` bytes, between two scalars.
  private static func cut(_ line: CrashText) -> CrashText {
    guard line.count > longest else { return line }
    var end = longest
    while end > 0, line.bytes[end] & 0xC0 == 0x80 { end -= 1 }
    return line[0..<end]
  }

  private init(_ lines: ArraySlice<Line>) { all = lines }

  /// The bytes of all lines, with LF as the line end.
  var joined: [UInt8] { Array(all.map(\.text.bytes).joined(separator: [UInt8(ascii: "\n")])) }

  /// The body split into reports. After stacks, a first line of a report begins a new one.
  var reports: [CrashTextLines] {
    var starts = [all.startIndex]
    var hasStacks = false
    for index in all.indices {
      let text = all[index].text
      if hasStacks, Self.isFirst(text) {
        starts.append(index)
        hasStacks = false
      }
      if text.begins("Binary Images:") || text.begins("Thread ") { hasStacks = true }
    }
    return zip(starts, starts.dropFirst() + [all.endIndex]).map { CrashTextLines(all[$0..<$1]) }
  }

  /// Whether the text can be the first line of a report.
  private static func isFirst(_ line: CrashText) -> Bool {
    line.begins("Incident Identifier:") || line.begins("Process:") || line.begins("CrashReporter Key:")
  }

  /// Whether a body may contain a `.crash` report: one of its first lines looks like a report's first line. False for
  /// JSON, whatever its strings contain.
  static func isPossible(_ body: UnsafeRawBufferPointer) -> Bool {
    guard !isJSON(body) else { return false }
    let start = CrashText(UnsafeRawBufferPointer(rebasing: body.prefix(firstBytes)))
    return start.lines.lazy.filter { $0.count > 0 }.prefix(firstLines).contains { line in
      isFirst(startsWithMark(UnsafeRawBufferPointer(line.bytes)) ? line[3...] : line)
    }
  }

  /// The number of lines in which a report's first line must occur.
  private static let firstLines = 100
  /// The number of bytes in which a report's first line must occur.
  private static let firstBytes = 16_384

  /// Whether the first byte after white space opens a JSON object or array.
  static func isJSON(_ body: UnsafeRawBufferPointer) -> Bool {
    let first = body.dropFirst(startsWithMark(body) ? 3 : 0).first { $0 > 0x20 }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  private static func startsWithMark(_ body: UnsafeRawBufferPointer) -> Bool { body.starts(with: [0xEF, 0xBB, 0xBF]) }
}
