internal import JSON
internal import Telemetry

/// The one child that runs, or none.
struct SymbolizerSession {
  var child: LineProcess?
  /// Grows with every batch.
  private(set) var questions = 0
  /// By UUID of the file; the program itself has an empty one.
  var pauses = Backoff()
  private let parser = JSONParser()
  private var reported: Set<String> = []
  /// Files that the child has opened, and their sizes.
  private var opened: [String: Int] = [:]
  /// The folder's when the child was started: it goes on reading a file that was removed or replaced.
  private var generation = 0

  /// Sees to it that a child runs that has room for one more file. False when none can be made to work.
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
      (place, line) throws(LineProcess.Failure) in
      guard let symbols = SymbolizerAnswer.read(line, address: addresses[place], parser) else { throw .confused }
      found[offsets[place]] = symbols
    }
    return found
  }

  /// Whether the child answers a question about a file that is not there, as llvm-symbolizer does.
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
