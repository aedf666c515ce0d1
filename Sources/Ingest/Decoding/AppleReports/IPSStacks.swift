internal import Core

/// The call stacks of an `.ips` file: `threads[].frames[]`, innermost first. Each frame has its image's index in
/// `usedImages` and its offset from the image's start.
///
/// If a language exception ended the app, its backtrace (`lastExceptionBacktrace`) is the attributed thread. The
/// crashed thread only shows how the app was ended.
struct IPSStacks: ~Copyable {
  private(set) var tree = CallTree()
  private var binaries = CallTreeBinaries()
  private var images: [(binary: Int, base: UInt64)] = []
  /// The executable's name. It identifies the app's own frames.
  private var process = ""
  private let quota: DecodingQuota

  init(_ body: JSONObject, _ quota: DecodingQuota) throws {
    self.quota = quota
    process = try body["procName"]?.text().kept ?? ""
    if let list = body["usedImages"] {
      for image in try list.array() {
        guard images.count < DecodingLimits.binaries else {
          throw image.failure("a report may have at most \(DecodingLimits.binaries) images")
        }
        try read(image: image.object())
      }
    }
    let backtrace = try body["lastExceptionBacktrace"]?.array()
    let hasBacktrace = backtrace?.isEmpty == false
    if let backtrace, hasBacktrace { try read(backtrace, isAttributed: true) }
    let faulting = try body["faultingThread"]?.integer()
    guard let threads = try body["threads"]?.array() else { throw body.missing("threads") }
    var index = 0
    for element in threads where !element.isNull {
      let thread = try element.object()
      let isTriggered = try thread["triggered"]?.boolean() ?? (faulting == index)
      index += 1
      guard let frames = try thread["frames"]?.array() else { continue }
      try quota.add(.threads, at: element)
      try read(frames, isAttributed: isTriggered && !hasBacktrace)
    }
    tree.binaries = binaries.all
  }

  private mutating func read(image: JSONObject) throws {
    let name = try image["name"]?.text()
    let path = try image["path"]?.text()
    // Code outside every image belongs to an image without a name, or with a UUID of zeros.
    let uuid = try image["uuid"]?.text()
    let isKnown = uuid.map { $0.bytes.contains { $0 != UInt8(ascii: "0") && $0 != UInt8(ascii: "-") } } ?? false
    let shown = name?.kept ?? SentryImages.name(path)
    var origin = CallTree.Binary.Origin(path: path)
    if origin == .unknown, !process.isEmpty, shown == process { origin = .app }
    let binary = binaries.index(uuid: isKnown ? uuid : nil, named: shown, origin)
    images.append((binary, image["base"].flatMap(MemoryAddress.read) ?? 0))
  }

  private mutating func read(_ frames: JSONArray, isAttributed: Bool) throws {
    let start = tree.frames.count
    for element in frames where !element.isNull {
      try quota.add(.frames, at: element)
      tree.frames.append(try frame(element.object()))
    }
    tree.frames[start...].reverse()
    for index in tree.frames.indices[start...] { tree.frames[index].caller = index == start ? -1 : index - 1 }
    tree.threads.append(CallTree.Thread(range: start..<tree.frames.count, isAttributed: isAttributed))
  }

  private func frame(_ frame: JSONObject) throws -> CallTree.Frame {
    let offset = try frame["imageOffset"]?.unsignedInteger()
    var found = CallTree.Frame(caller: -1, offset: offset)
    if let value = frame["imageIndex"] {
      let index = try value.integer()
      guard images.indices.contains(index) else {
        throw value.failure("expected an index in usedImages, which has \(images.count) images")
      }
      found.binary = images[index].binary
      found.address = offset.map { images[index].base &+ $0 }
    }
    if let function = try frame["symbol"]?.text(), function.count > 0 {
      let line = try frame["sourceLine"]?.integer()
      found.symbol = CallTree.Symbol(
        function: function.kept, file: try frame["sourceFile"]?.text().kept ?? "",
        line: line.flatMap { $0 > 0 ? $0 : nil })
    }
    return found
  }
}
