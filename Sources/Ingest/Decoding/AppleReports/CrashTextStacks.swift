internal import Core

/// Collects the call stacks of a `.crash` report line by line.
struct CrashTextStacks {
  /// The kind of a line of a crash report.
  enum Part {
    /// A line within a stack, the image list or a section that is not stored.
    case taken
    /// A `Key: value` line before the stacks.
    case header
    /// A line of free text before the stacks, from "Application Specific Information".
    case text
  }

  private enum Section {
    case header
    case text
    case backtrace
    case thread
    case images
    case rest
  }

  private struct Stack {
    var number: Int?
    var isCrashed: Bool
    var frames: [CrashTextFrame] = []
  }

  /// The number of the crashed thread, from the header; nil if the header does not state it.
  var crashed: Int?
  /// The executable's name. It identifies the app's own frames.
  var process = ""
  private var section = Section.header
  private var backtrace: [CrashTextFrame] = []
  private var stacks: [Stack] = []
  private var images = CrashTextImages()
  private var frames = 0
  private let quota: DecodingQuota

  init(quota: DecodingQuota) { self.quota = quota }

  mutating func read(_ line: CrashTextLines.Line) throws(DecodingFailure) -> Part {
    if let part = begin(line) { return part }
    switch section {
    case .header: return .header
    case .text:
      // An empty line ends the section.
      guard line.text.utf8.contains(where: { $0 > 0x20 }) else {
        section = .header
        return .taken
      }
      return .text
    case .backtrace, .thread: try readFrame(line)
    case .images: images.read(line.text)
    case .rest: break
    }
    return .taken
  }

  /// Starts a section of the crash report, such as a thread's stack, if the line is its first; nil for any other line.
  private mutating func begin(_ line: CrashTextLines.Line) -> Part? {
    let text = line.text
    if text.begins("Application Specific Information:") {
      section = .text
      return .taken
    }
    if text.begins("Last Exception Backtrace:") || text.begins("Application Specific Backtrace ") {
      // Macs write "Application Specific Backtrace". The first of several belongs to the outermost exception.
      guard backtrace.isEmpty else {
        section = .rest
        return .taken
      }
      section = .backtrace
      return .taken
    }
    if text.begins("Binary Images:") {
      section = .images
      return .taken
    }
    guard section != .images, text.begins("Thread ") else { return nil }
    let rest = text.utf8.dropFirst(7)
    let digits = rest.prefix { (48...57).contains($0) }
    let behind = Substring(rest.dropFirst(digits.count))
    guard !digits.isEmpty, digits.count < 7 else { return nil }
    if behind.begins(" name:") { return .taken }
    // `Thread 0 crashed with ARM Thread State (64-bit):` starts the register list.
    if behind.begins(" crashed with") {
      section = .rest
      return .taken
    }
    guard behind.begins(":") || behind.begins(" Crashed:") else { return nil }
    section = .thread
    stacks.append(Stack(number: Int(Substring(digits)), isCrashed: behind.begins(" Crashed:")))
    return .taken
  }

  private mutating func readFrame(_ line: CrashTextLines.Line) throws(DecodingFailure) {
    if let frame = CrashTextFrame(line.text) {
      try add(frame, line)
    } else if section == .backtrace, line.text.utf8.first == UInt8(ascii: "(") {
      // A backtrace of addresses only: `(0x18c6f0f48 0x1a4c8c2b4)`.
      for word in line.text.split(whereSeparator: { " ()\t".contains($0) }) {
        if let frame = CrashTextFrame("0 ??? \(word)"[...]) { try add(frame, line) }
      }
    }
  }

  private mutating func add(_ frame: CrashTextFrame, _ line: CrashTextLines.Line) throws(DecodingFailure) {
    frames += 1
    guard quota.take(.frames) else {
      throw DecodingFailure(.value, path: "line \(line.number)", DecodingQuota.tooMany(.frames))
    }
    if section == .backtrace {
      backtrace.append(frame)
    } else if !stacks.isEmpty {
      stacks[stacks.count - 1].frames.append(frame)
    }
  }

  /// The call tree of all stacks, after the last line was read. An exception's backtrace comes first and is the
  /// attributed thread.
  mutating func tree() throws(DecodingFailure) -> CallTree {
    guard frames > 0 else {
      throw DecodingFailure(
        .value, "the crash report has no call stacks; expected \"Thread 0 Crashed:\" with frames below it")
    }
    images.sort()
    var tree = CallTree()
    var indexOfBinary: [CallTree.Binary: Int] = [:]
    let hasBacktrace = !backtrace.isEmpty
    if hasBacktrace { append(backtrace, isAttributed: true, to: &tree, &indexOfBinary) }
    for stack in stacks {
      let isCrashed = stack.isCrashed || (stack.number != nil && stack.number == crashed)
      append(stack.frames, isAttributed: isCrashed && !hasBacktrace, to: &tree, &indexOfBinary)
    }
    return tree
  }

  private func append(
    _ frames: [CrashTextFrame], isAttributed: Bool, to tree: inout CallTree,
    _ indexOfBinary: inout [CallTree.Binary: Int]
  ) {
    let start = tree.frames.count
    for frame in frames.reversed() {
      let image = images.image(at: frame.address)
      var binary = CallTree.Binary(
        name: image?.name ?? frame.binary, uuid: image?.uuid ?? "", origin: image?.origin ?? .unknown)
      if binary.origin == .unknown, !process.isEmpty, binary.name == process { binary.origin = .app }
      let isNamed = !binary.name.isEmpty && binary.name != "???"
      var index = -1
      if isNamed || !binary.uuid.isEmpty {
        index = indexOfBinary[binary] ?? tree.binaries.count
        if index == tree.binaries.count { tree.binaries.append(binary) }
        indexOfBinary[binary] = index
      }
      tree.frames.append(
        CallTree.Frame(
          caller: tree.frames.count == start ? -1 : tree.frames.count - 1, binary: index,
          offset: frame.offset ?? image.map { frame.address - $0.start }, address: frame.address, symbol: frame.symbol))
    }
    tree.threads.append(CallTree.Thread(range: start..<tree.frames.count, isAttributed: isAttributed))
  }
}
