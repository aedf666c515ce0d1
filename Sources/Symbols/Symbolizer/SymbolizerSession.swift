internal import Core

/// The running child of a symbolizer, with the state of its session.
struct SymbolizerSession {
  var child: LineProcess?
  /// The number of batches that this child has processed.
  private(set) var questions = 0
  /// Pauses by UUID of the file; the empty text stands for the program.
  var pauses = Backoff()
  private let parser = JSONParser()
  private var reported: Set<String> = []
  /// The files that the child has opened, with their sizes in bytes.
  private var opened: [String: Int] = [:]
  /// The folder's generation when the child was started. A running child keeps reading files that were removed or
  /// replaced.
  private var generation = 0

  /// Starts a child unless one is running that may open another file. Returns false if none can be started.
  mutating func prepare(
    _ program: String, _ folder: SymbolFolder, _ binary: StoredSymbols, _ limits: ChildLimits
  ) -> Bool {
    if generation != folder.generation { child = nil }
    let others = opened.filter { $0.key != binary.uuid }.values.reduce(0, +)
    if child != nil, opened[binary.uuid] == nil, !opened.isEmpty, others + binary.size > limits.openBytes {
      child = nil
    }
    if child == nil {
      opened = [:]
      generation = folder.generation
      child = try? LineProcess(
        command: [program, "--output-style=JSON", "--functions=linkage", "--inlines", "--demangle"],
        folder: folder.path,
        readable: SymbolizerProgram.readable(program) + [folder.path], limits: limits)
      if !isWorking { child = nil }
    }
    opened[binary.uuid] = binary.size
    return child != nil
  }

  mutating func ask(
    _ binary: StoredSymbols, _ offsets: [UInt64]
  ) throws(LineProcess.Failure) -> [UInt64: [CallTree.Symbol]] {
    questions += 1
    guard let child else { throw .ended }
    let addresses = offsets.map { binary.textAddress + $0 }
    let file = "\(binary.uuid.prefix(2))/\(binary.uuid).macho"
    var found: [UInt64: [CallTree.Symbol]] = [:]
    try child.ask(addresses.map { "\"\(file)\" 0x" + String($0, radix: 16) }) {
      (index, line) throws(LineProcess.Failure) in
      guard let symbols = SymbolizerAnswer.read(line, address: addresses[index], parser) else { throw .confused }
      found[offsets[index]] = symbols
    }
    return found
  }

  /// Whether the child responds to a request for a missing file like llvm-symbolizer.
  private var isWorking: Bool {
    var isAnswered = false
    try? child?.ask(["\"none\" 0x1"]) { _, line in
      isAnswered = SymbolizerAnswer.read(line, address: 1, parser)?.isEmpty == true
    }
    return isAnswered
  }

  mutating func reportOnce(_ text: String, _ report: (String) -> Void) {
    if reported.insert(text).inserted { report(text) }
  }
}

/// The parsing of one line of `llvm-symbolizer --output-style=JSON`.
enum SymbolizerAnswer {
  /// The functions at `address`, outermost first, with mangled Swift names; empty if no function is known. Nil if the
  /// line has another form.
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

  /// The maximum number of inlined frames at one address.
  private static let mostFrames = 200
  /// The length to which names are cut, in bytes: more than the type names of SwiftUI need.
  private static let longestName = 16_000

  private static func symbol(_ frame: JSONObject) throws -> CallTree.Symbol? {
    let name = try frame["FunctionName"]?.text().string ?? ""
    // The linker's symbol for the file header is not a function.
    guard !name.isEmpty, name != "??", isText(name), !name.hasSuffix("mh_execute_header"),
      !name.hasSuffix("mh_dylib_header")
    else {
      return nil
    }
    let file = try frame["FileName"]?.text().string ?? ""
    let line = try frame["Line"]?.integer() ?? 0
    // Compiler-generated code has no file, or line 0.
    let hasLocation = !file.isEmpty && isText(file) && file != "??" && !file.hasSuffix("<compiler-generated>")
    return CallTree.Symbol(
      function: cut(name), file: hasLocation ? cut(file) : "", line: hasLocation && line > 0 ? line : nil)
  }

  /// Whether a name is printable text. In damaged debug information names are arbitrary bytes, and the symbolizer
  /// writes invalid UTF-8 as U+FFFD.
  private static func isText(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F && $0.value != 0xFFFD }
  }

  private static func cut(_ text: String) -> String {
    text.utf8.count <= longestName ? text : String(decoding: text.utf8.prefix(longestName), as: UTF8.self)
  }
}
