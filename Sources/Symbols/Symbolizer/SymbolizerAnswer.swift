internal import JSON
internal import Telemetry

/// Reads one line of `llvm-symbolizer --output-style=JSON`.
enum SymbolizerAnswer {
  /// The frames at `address`, outermost first, Swift names as they are mangled; empty when nothing is known there. Nil when the line answers something else.
  static func read(_ line: ArraySlice<UInt8>, address: UInt64, _ parser: JSONParser) -> [CallTree.Symbol]? {
    line.withUnsafeBytes { bytes in
      try? parser.withDocument(bytes) { root in
        let answer = try root.object()
        guard let text = try answer["Address"]?.text().string, text.hasPrefix("0x"),
          UInt64(text.dropFirst(2), radix: 16) == address
        else { return nil }
        guard let frames = answer["Symbol"] else { return [] }
        var symbols: [CallTree.Symbol] = []
        for frame in try frames.array() where symbols.count < mostFrames {
          if let symbol = try symbol(frame.object()) { symbols.append(symbol) }
        }
        return symbols.reversed()
      }
    }
  }

  /// Frames that are inlined into one place.
  private static let mostFrames = 200
  /// Longer than any that SwiftUI's types make.
  private static let longestName = 16_000

  private static func symbol(_ frame: JSONObject) throws -> CallTree.Symbol? {
    let name = try frame["FunctionName"]?.text().string ?? ""
    // The linker's name of the file's first bytes is no function.
    guard !name.isEmpty, name != "??", isText(name), !name.hasSuffix("mh_execute_header"),
      !name.hasSuffix("mh_dylib_header")
    else {
      return nil
    }
    let file = try frame["FileName"]?.text().string ?? ""
    let line = try frame["Line"]?.integer() ?? 0
    // Code that the compiler made up stands in no file or in line 0.
    let isPlace = !file.isEmpty && isText(file) && file != "??" && !file.hasSuffix("<compiler-generated>")
    return CallTree.Symbol(
      function: cut(name), file: isPlace ? cut(file) : "", line: isPlace && line > 0 ? line : nil)
  }

  /// Damaged debug information names code by whatever bytes lie there: the symbolizer writes what is no UTF-8 as U+FFFD.
  private static func isText(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F && $0.value != 0xFFFD }
  }

  private static func cut(_ text: String) -> String {
    text.utf8.count <= longestName ? text : String(decoding: text.utf8.prefix(longestName), as: UTF8.self)
  }
}
