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
    var number: UInt64?
    var isCrashed: Bool
    var frames: [CrashTextFrame] = []
  }

  /// The number of the crashed thread, from the header; nil if the header does not state it.
  var crashed: UInt64?
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
    if let part = begin(line.text) { return part }
    switch section {
    case .header: return .header
    case .text:
      // An empty line ends the section.
      guard line.text.bytes.contains(where: { $0 > 0x20 }) else {
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
  private mutating func begin(_ text: CrashText) -> Part? {
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
    let rest = text[7...]
    let digits = rest.bytes.prefix { (48...57).contains($0) }.count
    guard (1...6).contains(digits) else { return nil }
    let behind = rest[digits...]
    if behind.begins(" name:") { return .taken }
    // `Thread 0 crashed with ARM Thread State (64-bit):` starts the register list.
    if behind.begins(" crashed with") {
      section = .rest
      return .taken
    }
    guard behind.begins(":") || behind.begins(" Crashed:") else { return nil }
    section = .thread
    stacks.append(Stack(number: rest[0..<digits].decimal, isCrashed: behind.begins(" Crashed:")))
    return .taken
  }

  private mutating func readFrame(_ line: CrashTextLines.Line) throws(DecodingFailure) {
    if let frame = CrashTextFrame(line.text) {
      try add(frame, line)
    } else if section == .backtrace, line.text.begins("(") {
      // A backtrace of addresses only: `(0x18c6f0f48 0x1a4c8c2b4)`.
      for word in line.text.bytes.split(whereSeparator: { $0 == 0x28 || $0 == 0x29 || CrashText.isBlank($0) }) {
        let address = CrashText(UnsafeBufferPointer(rebasing: word)).address
        if let address { try add(CrashTextFrame(address: address), line) }
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
    var binaries = CrashTextBinaries(images, process)
    var tree = CallTree()
    let hasBacktrace = !backtrace.isEmpty
    if hasBacktrace { Self.append(backtrace, isAttributed: true, to: &tree, &binaries) }
    for stack in stacks {
      let isCrashed = stack.isCrashed || (stack.number != nil && stack.number == crashed)
      Self.append(stack.frames, isAttributed: isCrashed && !hasBacktrace, to: &tree, &binaries)
    }
    tree.binaries = binaries.all
    return tree
  }

  private static func append(
    _ frames: [CrashTextFrame], isAttributed: Bool, to tree: inout CallTree, _ binaries: inout CrashTextBinaries
  ) {
    let start = tree.frames.count
    for frame in frames.reversed() {
      let (binary, image) = binaries.index(of: frame)
      tree.frames.append(
        CallTree.Frame(
          caller: tree.frames.count == start ? -1 : tree.frames.count - 1, binary: binary,
          offset: frame.offset ?? image.map { frame.address - $0 }, address: frame.address, symbol: frame.symbol))
    }
    tree.threads.append(CallTree.Thread(range: start..<tree.frames.count, isAttributed: isAttributed))
  }
}

/// The distinct binaries of a report's frames.
private struct CrashTextBinaries {
  private(set) var all: [CallTree.Binary] = []
  private let images: CrashTextImages
  /// The executable's name. It identifies the app's own frames.
  private let process: String
  /// By image: the index of its binary, −1 for one without name and UUID; nil until a frame is in it.
  private var ofImages: [Int?]
  private var known: [CallTree.Binary: Int] = [:]

  init(_ images: CrashTextImages, _ process: String) {
    (self.images, self.process) = (images, process)
    ofImages = Array(repeating: nil, count: images.count)
  }

  /// The index of a frame's binary, −1 without name and UUID, and the start of the image that contains the frame.
  mutating func index(of frame: CrashTextFrame) -> (binary: Int, start: UInt64?) {
    guard let image = images.index(at: frame.address) else {
      return (index(of: CallTree.Binary(name: frame.binary?.name.kept ?? "", uuid: "")), nil)
    }
    let index = ofImages[image] ?? index(of: images[image].binary)
    ofImages[image] = index
    return (index, images[image].start)
  }

  private mutating func index(of binary: CallTree.Binary) -> Int {
    var binary = binary
    if binary.origin == .unknown, !process.isEmpty, binary.name == process { binary.origin = .app }
    let isNamed = !binary.name.isEmpty && binary.name != "???"
    guard isNamed || !binary.uuid.isEmpty else { return -1 }
    if let index = known[binary] { return index }
    all.append(binary)
    known[binary] = all.count - 1
    return all.count - 1
  }
}
