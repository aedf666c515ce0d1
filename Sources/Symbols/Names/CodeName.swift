internal import Glibc

/// Names of functions as people read them.
public enum CodeName {
  /// Longer mangled names are written by no compiler that cares for its linker.
  private static let longest = 16_384
  /// What is shown is cut to this many bytes.
  private static let longestShown = 1000
  /// A longer meaning is not made short, only cut.
  private static let longestMeaning = 64 << 10

  /// What a name means: Swift names short, as Xcode shows them (`CheckoutController.total(discount:)`), others as they
  /// are. A hostile name takes whatever time and memory there is: see `NameDemangler`.
  static func shown(_ name: String) -> String {
    guard isMangled(name), let meaning = SwiftDemangler.demangle(name) else { return name }
    return cut(meaning.utf8.count > longestMeaning ? meaning : SimplifiedName.of(meaning))
  }

  /// Whether `shown` may change it. A name with a line break is none.
  static func isMangled(_ name: String) -> Bool {
    SwiftDemangler.isMangled(name) && name.utf8.count <= longest && !name.utf8.contains { $0 < 0x20 }
  }

  /// Answers each line of standard input with a line of standard output, to its end: what a `NameDemangler` runs in a
  /// process of its own.
  public static func answerLines() {
    while let name = readLine() {
      let line = Array((shown(name).filter { $0 != "\n" && $0 != "\r" } + "\n").utf8)
      var sent = 0
      while sent < line.count {
        let count = line[sent...].withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
        guard count > 0 else { return }
        sent += count
      }
    }
  }

  private static func cut(_ text: String) -> String {
    guard text.utf8.count > longestShown else { return text }
    var end = text.utf8.index(text.startIndex, offsetBy: longestShown)
    while String.Index(end, within: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
    return String(text[..<end]) + "…"
  }
}
