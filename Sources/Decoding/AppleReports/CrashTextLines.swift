/// The lines of a crash report as text, with their numbers.
struct CrashTextLines {
  struct Line {
    /// From 1.
    let number: Int
    let text: Substring

    /// `12` and `Version: 4.2.0` → `4.2.0` for the key `Version`; nil for another key.
    func value(of key: String) -> String? {
      guard text.utf8.starts(with: key.utf8), text.utf8.dropFirst(key.utf8.count).first == UInt8(ascii: ":") else {
        return nil
      }
      return CrashTextLines.trimmed(Substring(text.utf8.dropFirst(key.utf8.count + 1)))
    }
  }

  let all: [Line]

  /// A report has some thousands; beyond this it is none.
  static let most = 200_000

  init(_ body: UnsafeRawBufferPointer) {
    var lines: [Line] = []
    let text = String(decoding: body, as: UTF8.self)
    for part in text.utf8.split(separator: UInt8(ascii: "\n"), maxSplits: Self.most, omittingEmptySubsequences: false) {
      var part = part
      if part.last == UInt8(ascii: "\r") { part = part.dropLast() }
      lines.append(Line(number: lines.count + 1, text: Substring(part)))
    }
    all = lines
  }

  private init(_ lines: some Sequence<Line>) { all = Array(lines) }

  /// The text, with every line's end as one byte.
  var text: String { all.map(\.text).joined(separator: "\n") }

  /// One for each report: a report ends where, behind stacks, another one begins.
  var reports: [CrashTextLines] {
    var starts = [0]
    var hasStacks = false
    for (place, line) in all.enumerated() {
      if hasStacks, Self.firstKeys.contains(where: { line.text.hasPrefix($0) }) {
        starts.append(place)
        hasStacks = false
      }
      if line.text.hasPrefix("Binary Images:") || line.text.hasPrefix("Thread ") { hasStacks = true }
    }
    return zip(starts, starts.dropFirst() + [all.count]).map { CrashTextLines(all[$0..<$1]) }
  }

  /// What the first line of a report begins with.
  private static let firstKeys = ["Incident Identifier:", "Process:", "CrashReporter Key:"]

  /// Without white space at both ends, cut to 500 bytes.
  static func trimmed(_ text: Substring) -> String {
    var bytes = text.utf8.drop { $0 <= 0x20 }
    while let last = bytes.last, last <= 0x20 { bytes = bytes.dropLast() }
    guard bytes.count > 500 else { return String(Substring(bytes)) }
    return String(decoding: bytes.prefix(500), as: UTF8.self)
  }

  /// Whether a body begins as such a report does, perhaps behind a byte order mark and white space.
  static func isPossible(_ body: UnsafeRawBufferPointer) -> Bool {
    var start = body.prefix(4096)[...]
    if start.starts(with: [0xEF, 0xBB, 0xBF]) { start = start.dropFirst(3) }
    start = start.drop { $0 <= 0x20 || $0 == UInt8(ascii: "-") }
    return (firstKeys + ["Translated Report"]).contains {
      start.starts(with: $0.utf8)
    }
  }
}
