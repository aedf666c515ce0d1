internal import Telemetry

/// The lines of a crash report as text, with their numbers.
struct CrashTextLines {
  struct Line {
    /// From 1.
    let number: Int
    let text: Substring

    /// Whether its first bytes are these; `hasPrefix` would compare characters.
    func begins(_ prefix: StaticString) -> Bool { text.begins(prefix) }

    /// `12` and `Version: 4.2.0` → `4.2.0` for the key `Version`; nil for another key.
    func value(of key: String) -> String? {
      guard text.utf8.starts(with: key.utf8), text.utf8.dropFirst(key.utf8.count).first == UInt8(ascii: ":") else {
        return nil
      }
      return CrashTextLines.trimmed(Substring(text.utf8.dropFirst(key.utf8.count + 1)))
    }
  }

  let all: [Line]

  /// A report has some thousands; a body of more lines is refused.
  private static let most = 100_000
  /// Lines are cut here: a function's name may be long, and the last words of an app.
  private static let longest = 2_000

  init(_ body: UnsafeRawBufferPointer) throws(DecodingFailure) {
    var lines: [Line] = []
    let mark = body.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let text = String(decoding: body.dropFirst(mark), as: UTF8.self)
    for part in text.utf8.split(separator: UInt8(ascii: "\n"), maxSplits: Self.most, omittingEmptySubsequences: false) {
      guard lines.count < Self.most else {
        throw DecodingFailure(
          .value, path: "line \(Self.most + 1)", "a body of crash reports may hold \(Self.most) lines")
      }
      var part = part
      if part.last == UInt8(ascii: "\r") { part = part.dropLast() }
      lines.append(Line(number: lines.count + 1, text: Substring(Self.cut(part))))
    }
    // A mail that it came in may say something first.
    let start = lines.firstIndex { line in Self.isFirst(line.text) } ?? 0
    all = Array(lines[start...])
  }

  /// At most `longest` bytes, cut between two scalars.
  private static func cut(_ line: Substring.UTF8View) -> Substring.UTF8View {
    // Distances within native UTF-8 are known without a walk.
    guard line.count > longest else { return line }
    var end = line.index(line.startIndex, offsetBy: longest)
    while end > line.startIndex, line[end] & 0xC0 == 0x80 { end = line.index(before: end) }
    return line[..<end]
  }

  private init(_ lines: some Sequence<Line>) { all = Array(lines) }

  /// The text, with every line's end as one byte.
  var text: String { all.map(\.text).joined(separator: "\n") }

  /// One for each report: a report ends where, behind stacks, another one begins.
  var reports: [CrashTextLines] {
    var starts = [0]
    var hasStacks = false
    for (place, line) in all.enumerated() {
      if hasStacks, Self.isFirst(line.text) {
        starts.append(place)
        hasStacks = false
      }
      if line.begins("Binary Images:") || line.begins("Thread ") { hasStacks = true }
    }
    return zip(starts, starts.dropFirst() + [all.count]).map { CrashTextLines(all[$0..<$1]) }
  }

  private static func isFirst(_ line: Substring) -> Bool { firstKeys.contains { line.utf8.starts(with: $0.utf8) } }

  /// What the first line of a report begins with.
  private static let firstKeys = ["Incident Identifier:", "Process:", "CrashReporter Key:"]

  /// Without white space at both ends, cleaned, cut to 500 bytes.
  static func trimmed(_ text: ArraySlice<UInt8>) -> String {
    bare(text).withUnsafeBufferPointer { CleanText.name($0, atMost: 500) }
  }

  /// Without white space at both ends.
  static func bare(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var bare = text.drop { $0 <= 0x20 }
    while let last = bare.last, last <= 0x20 { bare.removeLast() }
    return bare
  }

  /// Without white space at both ends, cleaned, cut to 500 bytes.
  static func trimmed(_ text: Substring) -> String {
    var bytes = text.utf8.drop { $0 <= 0x20 }
    while let last = bytes.last, last <= 0x20 { bytes = bytes.dropLast() }
    return CleanText.name(String(Substring(bytes)), atMost: 500)
  }

  /// Whether one of a body's first lines is one of such a report. JSON is none, whatever its texts hold.
  static func isPossible(_ body: UnsafeRawBufferPointer) -> Bool {
    let start = body.prefix(firstBytes)
    guard !isJSON(body) else { return false }
    let lines = start.split(separator: UInt8(ascii: "\n"), maxSplits: firstLines, omittingEmptySubsequences: true)
    return lines.prefix(firstLines).contains { line in
      let line = line.starts(with: [0xEF, 0xBB, 0xBF]) ? line.dropFirst(3) : line
      return firstKeys.contains { line.starts(with: $0.utf8) }
    }
  }

  /// Within which a report begins that is quoted in something else.
  private static let firstLines = 100
  private static let firstBytes = 16_384

  /// Whether the first byte that is no white space opens an object or array.
  static func isJSON(_ body: UnsafeRawBufferPointer) -> Bool {
    let start = body.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let first = body.dropFirst(start).first { $0 > 0x20 }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }
}

extension Substring {
  /// Whether its first bytes are those of `prefix`.
  func begins(_ prefix: StaticString) -> Bool {
    utf8.starts(with: UnsafeBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount))
  }
}
