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
  /// hostile name can use unlimited time and memory, so call this through `DemanglerProcess`.
  static func shown(_ name: String) -> String {
    guard isMangled(name), let meaning = SwiftDemangler.demangle(name) else { return name }
    return cut(meaning.utf8.count > longestMeaning ? meaning : SimplifiedSwiftName.of(meaning))
  }

  /// Whether `shown` may change the name. A text with control characters is not a name.
  static func isMangled(_ name: String) -> Bool {
    SwiftDemangler.isMangled(name) && name.utf8.count <= longest && !name.utf8.contains { $0 < 0x20 }
  }

  /// Responds to each line of standard input with its readable form on standard output, until the input ends.
  /// `DemanglerProcess` runs this in a child process.
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

/// Swift's own demangler, which is part of its runtime (`stdlib/public/runtime/Demangle.cpp`), also if that is linked
/// statically.
///
/// Names come from files and devices. A mangled name of a few hundred bytes can expand to gigabytes, because a generic
/// type that contains the preceding one twice doubles with every nine bytes. Use it only in a child process; see
/// `DemanglerProcess`.
enum SwiftDemangler {
  /// The demangled name, such as `Shop.CheckoutController.total(discount: (Swift.Int) -> Swift.Int) -> Swift.Int`; nil
  /// for a name that is not mangled.
  static func demangle(_ name: String) -> String? {
    guard isMangled(name) else { return nil }
    var name = name
    let text = name.withUTF8 { swiftDemangle($0.baseAddress, $0.count, nil, nil, 0) }
    guard let text else { return nil }
    defer { free(text) }
    return String(cString: text)
  }

  /// Whether a name has a prefix of mangled names: those of Swift 5 and Embedded Swift, with or without Mach-O's
  /// underscore, and of Swift 4's classes in Objective-C.
  static func isMangled(_ name: String) -> Bool {
    ["$s", "$S", "$e", "_$s", "_$S", "_$e", "_T0", "_Tt"].contains { name.hasPrefix($0) }
  }
}

@_silgen_name("swift_demangle")
private func swiftDemangle(
  _ name: UnsafePointer<UInt8>?, _ length: Int, _ output: UnsafeMutablePointer<UInt8>?,
  _ outputSize: UnsafeMutablePointer<Int>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?
