internal import Glibc

/// The demangling and simplification of function names.
public enum ReadableFunctionName {
  /// The maximum length of a mangled name, in bytes. Compilers do not write longer ones.
  private static let longest = 16_384
  /// The length to which readable names are cut, in bytes.
  private static let longestShown = 1000
  /// The length in bytes beyond which a demangled name is cut without being simplified.
  private static let longestMeaning = 64 << 10

  /// The readable form: Swift names as in Xcode (`CheckoutController.total(discount:)`), other names unchanged. A
  /// hostile name can use unlimited time and memory, so call this through `NameDemangler`.
  static func shown(_ name: String) -> String {
    guard isMangled(name), let meaning = SwiftDemangler.demangle(name) else { return name }
    return cut(meaning.utf8.count > longestMeaning ? meaning : SimplifiedName.of(meaning))
  }

  /// Whether `shown` may change the name. A text with control characters is not a name.
  static func isMangled(_ name: String) -> Bool {
    SwiftDemangler.isMangled(name) && name.utf8.count <= longest && !name.utf8.contains { $0 < 0x20 }
  }

  /// Responds to each line of standard input with its readable form on standard output, until the input ends.
  /// `NameDemangler` runs this in a child process.
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
