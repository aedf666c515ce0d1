internal import Core

/// The lines of a `.crash` report, with their line numbers.
struct CrashTextLines {
  struct Line {
    /// The number of a line in the request body, from 1.
    let number: Int
    let text: Substring

    /// Whether the line starts with these bytes. Unlike `hasPrefix`, it compares bytes, not characters.
    func begins(_ prefix: StaticString) -> Bool { text.begins(prefix) }

    /// The value of a header line with this key: `4.2.0` for `Version: 4.2.0`; nil for another key.
    func value(of key: String) -> String? {
      guard text.utf8.starts(with: key.utf8), text.utf8.dropFirst(key.utf8.count).first == UInt8(ascii: ":") else {
        return nil
      }
      return CrashTextLines.trimmed(Substring(text.utf8.dropFirst(key.utf8.count + 1)))
    }
  }

  let all: [Line]

  /// The most lines of a body. A crash report has a few thousand.
  private static let most = 100_000
  /// The length in bytes to which lines are cut. Function names and an app's last message may be long.
  private static let longest = 2_000

  init(_ body: UnsafeRawBufferPointer) throws(DecodingFailure) {
    var lines: [Line] = []
    let mark = body.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let text = String(decoding: body.dropFirst(mark), as: UTF8.self).streamSafe
    for part in text.utf8.split(separator: UInt8(ascii: "\n"), maxSplits: Self.most, omittingEmptySubsequences: false) {
      guard lines.count < Self.most else {
        throw DecodingFailure(
          .value, path: "line \(Self.most + 1)",
          "a body of crash reports may have at most \(Self.most) lines; split it")
      }
      var part = part
      if part.last == UInt8(ascii: "\r") { part = part.dropLast() }
      lines.append(Line(number: lines.count + 1, text: Substring(Self.cut(part))))
    }
    // Text before the first report is skipped, for example that of an email around it.
    let start = lines.firstIndex { line in Self.isFirst(line.text) } ?? 0
    all = Array(lines[start...])
  }

  /// The line cut to at most `longest` bytes, between two scalars.
  private static func cut(_ line: Substring.UTF8View) -> Substring.UTF8View {
    // `count` takes constant time for a slice of native UTF-8.
    guard line.count > longest else { return line }
    var end = line.index(line.startIndex, offsetBy: longest)
    while end > line.startIndex, line[end] & 0xC0 == 0x80 { end = line.index(before: end) }
    return line[..<end]
  }

  private init(_ lines: some Sequence<Line>) { all = Array(lines) }

  /// The text of all lines, with LF as the line end.
  var text: String { all.map(\.text).joined(separator: "\n") }

  /// The body split into reports. After stacks, a first line of a report begins a new one.
  var reports: [CrashTextLines] {
    var starts = [0]
    var hasStacks = false
    for (index, line) in all.enumerated() {
      if hasStacks, Self.isFirst(line.text) {
        starts.append(index)
        hasStacks = false
      }
      if line.begins("Binary Images:") || line.begins("Thread ") { hasStacks = true }
    }
    return zip(starts, starts.dropFirst() + [all.count]).map { CrashTextLines(all[$0..<$1]) }
  }

  private static func isFirst(_ line: Substring) -> Bool { firstKeys.contains { line.utf8.starts(with: $0.utf8) } }

  /// The keys that can begin the first line of a report.
  private static let firstKeys = ["Incident Identifier:", "Process:", "CrashReporter Key:"]

  /// The text without surrounding white space, cleaned and cut to 500 bytes.
  static func trimmed(_ text: ArraySlice<UInt8>) -> String {
    bare(text).withUnsafeBufferPointer { SanitizedText.name($0, atMost: 500) }
  }

  /// The bytes without surrounding white space.
  static func bare(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var bare = text.drop { $0 <= 0x20 }
    while let last = bare.last, last <= 0x20 { bare.removeLast() }
    return bare
  }

  /// The text without surrounding white space, cleaned and cut to 500 bytes.
  static func trimmed(_ text: Substring) -> String {
    var bytes = text.utf8.drop { $0 <= 0x20 }
    while let last = bytes.last, last <= 0x20 { bytes = bytes.dropLast() }
    return SanitizedText.name(String(Substring(bytes)), atMost: 500)
  }

  /// Whether a body may contain a `.crash` report: one of its first lines looks like a report's first line. False for
  /// JSON, whatever its strings contain.
  static func isPossible(_ body: UnsafeRawBufferPointer) -> Bool {
    let start = body.prefix(firstBytes)
    guard !isJSON(body) else { return false }
    let lines = start.split(separator: UInt8(ascii: "\n"), maxSplits: firstLines, omittingEmptySubsequences: true)
    return lines.prefix(firstLines).contains { line in
      let line = line.starts(with: [0xEF, 0xBB, 0xBF]) ? line.dropFirst(3) : line
      return firstKeys.contains { line.starts(with: $0.utf8) }
    }
  }

  /// The number of lines in which a report's first line must occur.
  private static let firstLines = 100
  /// The number of bytes in which a report's first line must occur.
  private static let firstBytes = 16_384

  /// Whether the first byte after white space opens a JSON object or array.
  static func isJSON(_ body: UnsafeRawBufferPointer) -> Bool {
    let start = body.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let first = body.dropFirst(start).first { $0 > 0x20 }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }
}

extension Substring {
  /// Whether the text starts with the bytes of `prefix`.
  func begins(_ prefix: StaticString) -> Bool {
    utf8.starts(with: UnsafeBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount))
  }
}
