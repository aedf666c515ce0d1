internal import Core

/// Reads `MXCallStackTree` and the call stacks of iOS 27. It works iteratively, so that deep trees need no stack.
/// Names, ids, addresses and frames are all optional.
struct CallTreeReader: ~Copyable {
  var frames: [CallTree.Frame] = []
  private(set) var stacks: [Stack] = []
  private(set) var binaries = CallTreeBinaries()
  private(set) var isPerThread = true
  private let quota: DecodingQuota

  /// The frames of one call stack, in the document's order: the first may be the innermost.
  struct Stack {
    var range: Range<Int>
    var isAttributed: Bool?
    /// Whether a frame has several callees. Such a tree of samples cannot be reversed.
    var branches = false
    /// Whether the stack is a plain list. Clients write lists innermost first for every kind of diagnostic.
    var isList = false
  }

  init(quota: DecodingQuota) { self.quota = quota }

  /// Whether the tree comes from Xcode's "Simulate MetricKit Payloads", which puts all frames into a binary of this
  /// name.
  var isSimulated: Bool { binaries.all.contains { $0.name == "testBinaryName" } }

  /// Reads a tree, a list of stacks, or a string with one of these.
  mutating func read(_ value: JSONValue) throws {
    switch value.kind {
    case .array: try read(stacks: value.array())
    case .string:
      let text = try value.text()
      defer { binaries.endDocument() }
      try ReportDocumentReader.failures(inside: value.path) {
        try JSONParser().withDocument(UnsafeRawBufferPointer(text.bytes)) { inner in
          if inner.kind == .string { throw inner.mismatch("an object") }
          try read(inner)
        }
      }
    default: try read(tree: value.object())
    }
  }

  private mutating func read(tree: JSONObject) throws {
    var tree = tree
    // `MXCallStackTree.jsonRepresentation()` writes the tree itself. In Apple's documentation it is in a member.
    if tree["callStacks"] == nil, let inner = tree["callStackTree"], inner.kind == .object { tree = try inner.object() }
    for (key, value) in tree where !value.isNull {
      switch key {
      case "callStackPerThread": isPerThread = try value.boolean()
      case "callStacks", "callStackThreads": try read(stacks: value.array())
      case "binaryInfo": try read(binaries: value.array())
      default: break
      }
    }
  }

  private mutating func read(binaries list: JSONArray) throws {
    for element in list where !element.isNull {
      try quota.add(.binaries, at: element)
      let binary = try element.object()
      _ = try binaries.index(uuid: binary["uuid"]?.text(), name: binary["name"]?.text())
    }
  }

  private mutating func read(stacks list: JSONArray) throws {
    // A frame of MetricKit has eighteen words. Space is reserved once, because each time would copy all frames.
    if frames.isEmpty { frames.reserveCapacity(list.value.size / 18) }
    for element in list where !element.isNull {
      let start = frames.count
      try quota.add(.threads, at: element)
      var stack = Stack(range: start..<start)
      for (key, value) in try element.object() where !value.isNull {
        switch key {
        case "threadAttributed": stack.isAttributed = try value.boolean()
        case "callStackRootFrames", "rootFrames": stack.branches = try walk(value.array())
        case "callStackFrames":
          stack.isList = true
          try readList(value.array())
        default: break
        }
      }
      stack.range = start..<frames.count
      stacks.append(stack)
    }
  }

  /// Appends the frames below `roots`, callers first. Returns whether any frame has several callees.
  private mutating func walk(_ roots: JSONArray) throws -> Bool {
    var level = Level(rest: roots.makeIterator(), caller: -1)
    // Levels with further frames. A chain has none.
    var outer: [Level] = []
    var branches = false
    while true {
      guard let value = level.rest.next() else {
        guard let next = outer.popLast() else { return branches }
        level = next
        continue
      }
      if value.isNull { continue }
      branches = branches || (level.caller >= 0 && level.hasFrames)
      level.hasFrames = true
      if let below = try append(value, caller: level.caller) {
        let callees = try below.array()
        if !level.rest.isAtEnd { outer.append(level) }
        level = Level(rest: callees.makeIterator(), caller: frames.count - 1)
      }
    }
  }

  private struct Level {
    var rest: JSONArray.Iterator
    let caller: Int
    /// Whether a frame of the level was read.
    var hasFrames = false
  }

  private mutating func readList(_ list: JSONArray) throws {
    let start = frames.count
    for value in list where !value.isNull {
      _ = try append(value, caller: frames.count == start ? -1 : frames.count - 1)
    }
  }

  /// Appends one frame and returns its `subFrames`.
  private mutating func append(_ value: JSONValue, caller: Int) throws -> JSONValue? {
    try quota.add(.frames, at: value)
    var fields = CallFrameFields()
    for (key, value) in try value.object() where !value.isNull { try fields.read(key, value) }
    let binary = binaries.index(uuid: fields.uuid, name: fields.name)
    frames.append(
      CallTree.Frame(
        caller: caller, binary: binary, offset: fields.offset, address: fields.address, samples: fields.samples,
        symbol: fields.symbol))
    return fields.subFrames
  }
}

extension CallTreeReader {
  /// The probable kind of a diagnostic that does not state one. A tree with branches was sampled.
  var likelyKind: DiagnosticKind {
    if !isPerThread { return .cpuException }
    let isSampled = stacks.contains { stack in
      !stack.isList && (stack.branches || frames[stack.range].count { $0.caller < 0 } > 1)
    }
    return isSampled ? .hang : .crash
  }

  /// The finished tree, with callers before callees.
  ///
  /// For a hang of the main run loop, the first thread is the attributed one, whatever its flags. A single stack is
  /// attributed unless flagged otherwise. `listsKeepOrder`: plain lists have the order of MetricKit's tree.
  mutating func tree(of kind: DiagnosticKind, mainThreadIsFirst: Bool, listsKeepOrder: Bool = false) -> CallTree {
    for stack in stacks
    where (stack.isList && !listsKeepOrder) || (kind.isWrittenInnermostFirst && !stack.branches) {
      turnAround(stack.range)
    }
    let firstIsMain = kind == .hang && mainThreadIsFirst
    let threads = stacks.enumerated().map { index, stack in
      let isAttributed = firstIsMain ? index == 0 : stack.isAttributed ?? (stacks.count == 1)
      return CallTree.Thread(range: stack.range, isAttributed: isAttributed)
    }
    return CallTree(binaries: binaries.all, frames: frames, threads: threads)
  }

  /// Reverses every chain in the range. A frame without a caller starts a new chain.
  private mutating func turnAround(_ range: Range<Int>) {
    var start = range.lowerBound
    while start < range.upperBound {
      var next = start + 1
      while next < range.upperBound, frames[next].caller >= 0 { next += 1 }
      // In the buffer, because the array's `swapAt` would copy both frames.
      frames.withUnsafeMutableBufferPointer { frames in
        for step in 0..<(next - start) / 2 { frames.swapAt(start + step, next - 1 - step) }
      }
      for index in start..<next { frames[index].caller = index == start ? -1 : index - 1 }
      start = next
    }
  }
}

/// The members of a frame in MetricKit's JSON, all optional.
struct CallFrameFields {
  private(set) var uuid: BorrowedJSONString?
  private(set) var name: BorrowedJSONString?
  private(set) var address: UInt64?
  private(set) var samples = 1
  private(set) var symbol: CallTree.Symbol?
  private(set) var subFrames: JSONValue?
  private var position: UInt64?

  @inline(__always) mutating func read(_ key: BorrowedJSONString, _ value: JSONValue) throws {
    switch key {
    case "binaryUUID": uuid = try value.text()
    case "binaryName": name = try value.text()
    case "address": address = try Self.whole(value)
    case "offsetIntoBinaryTextSegment", "offsetAddress": position = try Self.whole(value)
    case "sampleCount": samples = Int(clamping: min(try Self.whole(value) ?? 1, UInt64(DecodingLimits.samples)))
    case "subFrames": subFrames = value
    case "symbolInfo": try readSymbol(value)
    default: break
    }
  }

  /// The distance from the start of the binary in bytes; nil if unknown.
  ///
  /// iOS 14 and 15 write the binary's load address instead. A load address is above 4 GB and less than 4 GB before the
  /// frame.
  var offset: UInt64? {
    let fourGigabytes: UInt64 = 1 << 32
    guard let position else { return nil }
    guard let address else { return position < fourGigabytes ? position : nil }
    if position > address { return nil }
    return position >= fourGigabytes && address - position < fourGigabytes ? address - position : position
  }

  /// Reads names that the client symbolicated on the device, as MeterReporter does. They are an object, or a list that
  /// begins with the innermost function.
  private mutating func readSymbol(_ value: JSONValue) throws {
    let first = value.kind == .array ? try value.array().first { _ in true } : value
    guard let first, first.kind == .object else { return }
    let info = try first.object()
    guard let name = info["demangledSymbol"] ?? info["symbol"], let text = name.textOrNil, text.count > 0 else {
      return
    }
    let line = info["line"]?.integerOrNil
    symbol = CallTree.Symbol(
      function: text.kept, file: (try? info["file"]?.text().kept) ?? "", line: line.flatMap { $0 > 0 ? $0 : nil })
  }

  /// An unsigned integer; nil for a negative number or one with a fraction.
  private static func whole(_ value: JSONValue) throws -> UInt64? {
    guard value.kind == .integer || value.kind == .double else { throw value.mismatch("an integer") }
    return value.unsignedIntegerOrNil
  }
}
