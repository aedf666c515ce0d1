internal import Core

/// Builds the call tree of a Sentry event: first the stack of the thrown exception, then those of other threads.
struct SentryCallTree {
  private let images: SentryImages
  private var tree = CallTree()
  private var binaries: [CallTree.Binary: Int] = [:]
  private var packages = RecentTextCache<SentryPackage>()
  /// The app's name. Its executable usually has the same name.
  private let app: String
  private let quota: DecodingQuota

  /// The most frames of one event. Clients send far fewer. Further frames are left out.
  private static let mostFrames = 20_000
  /// The most threads of one event. Clients send far fewer. Further threads are left out.
  private static let mostThreads = 1000

  static func tree(of event: JSONObject, _ exceptions: SentryExceptions, _ quota: DecodingQuota) -> CallTree {
    var calls = SentryCallTree(
      images: SentryImages(event), app: event.object("contexts")?.object("app")?.name("app_name") ?? "", quota: quota)
    calls.add(stackOf: exceptions.thrown, isAttributed: true)
    let thrower = exceptions.thrown?.name("thread_id")
    var attributed = calls.tree.threads.count
    SentryExceptions.forEach(event["threads"]) { thread in
      let isThrower = thread.boolean("crashed") == true || (thrower != nil && thread.name("id") == thrower)
      // The thrown exception's stack, which was already added, is this thread's.
      if isThrower, attributed > 0 { return }
      calls.add(stackOf: thread, isAttributed: isThrower)
      if isThrower { attributed = calls.tree.threads.count }
    }
    if calls.tree.frames.isEmpty { calls.add(stackOf: event, isAttributed: true) }
    if attributed == 0 { calls.attribute(event) }
    return calls.tree
  }

  private init(images: SentryImages, app: String, quota: DecodingQuota) {
    self.images = images
    self.app = app
    self.quota = quota
  }

  private mutating func add(stackOf owner: JSONObject?, isAttributed: Bool) {
    guard let frames = owner?.object("stacktrace")?.array("frames"), !frames.isEmpty,
      tree.threads.count < Self.mostThreads, tree.frames.count < Self.mostFrames
    else { return }
    let first = tree.frames.count
    var stack = SentryStack()
    for element in frames.prefix(Self.mostFrames - first) {
      guard let frame = element.objectOrNil, quota.take(.frames) else { continue }
      let fields = SentryFrameFields(frame)
      stack.add(read(fields), caller: fields.caller)
    }
    tree.frames += stack.frames(from: first)
    guard tree.frames.count > first else { return }
    tree.threads.append(CallTree.Thread(range: first..<tree.frames.count, isAttributed: isAttributed))
  }

  /// Attributes the thread that reported the event or, without it, the only thread. It is used if no thread is marked
  /// as crashed.
  private mutating func attribute(_ event: JSONObject) {
    if tree.threads.count == 1 { tree.threads[0].isAttributed = true }
    guard tree.threads.count > 1 else { return }
    var index = 0
    var current: Int?
    SentryExceptions.forEach(event["threads"]) { thread in
      guard thread.object("stacktrace")?.array("frames")?.isEmpty == false else { return }
      if thread.boolean("current") == true { current = current ?? index }
      index += 1
    }
    if let current, current < tree.threads.count { tree.threads[current].isAttributed = true }
  }

  private mutating func read(_ frame: SentryFrameFields) -> CallTree.Frame {
    let address = frame.address.flatMap(MemoryAddress.read)
    let start = frame.imageAddress.flatMap(MemoryAddress.read)
    let image = (start ?? address).flatMap(images.image(at:))
    let base = start ?? image.map { images[$0].start }
    let offset: UInt64? = if let address, let base, address >= base { address - base } else { nil }
    let package = frame.package?.textOrNil.map { self.package($0) }
    let name = package?.name ?? image.map { images[$0].binary.name } ?? ""
    let samples = frame.samples?.quantity.map { max(1, min($0, DecodingLimits.samples)) } ?? 1
    var origin = package?.origin ?? .unknown
    if origin == .unknown, let image { origin = images[image].binary.origin }
    // `in_app` identifies the app's own binaries. Its absence only excludes the executable.
    if origin == .unknown, frame.isInApp?.booleanOrNil == true || (!app.isEmpty && name == app) { origin = .app }
    return CallTree.Frame(
      caller: -1, binary: binary(CallTree.Binary(name: name, uuid: image.map { images[$0].binary.uuid } ?? ""), origin),
      offset: offset, address: address, samples: Int(samples), symbol: Self.symbol(frame))
  }

  private mutating func package(_ path: BorrowedJSONString) -> SentryPackage {
    if let known = packages.value(of: path) { return known }
    let package = SentryPackage(name: SentryImages.name(path), origin: .init(path: path))
    packages.remember(package, for: path)
    return package
  }

  private mutating func binary(_ binary: CallTree.Binary, _ origin: CallTree.Binary.Origin) -> Int {
    if binary.name.isEmpty, binary.uuid.isEmpty { return -1 }
    // Usually one of the frames before has the same binary.
    let recent = tree.binaries.prefix(Self.mostCompared).firstIndex { $0.name == binary.name && $0.uuid == binary.uuid }
    let index = recent ?? binaries[binary] ?? tree.binaries.count
    if index == tree.binaries.count {
      tree.binaries.append(binary)
      binaries[binary] = index
    }
    tree.binaries[index].origin.merge(origin)
    return index
  }

  /// The number of binaries that are compared before hashing.
  private static let mostCompared = 16

  private static func symbol(_ frame: SentryFrameFields) -> CallTree.Symbol? {
    guard let function = frame.function?.textOrNil?.kept, !function.isEmpty, function != "<redacted>" else {
      return nil
    }
    let line = frame.line?.rounded.flatMap { (1...Int(Int32.max)).contains($0) ? $0 : nil }
    return CallTree.Symbol(function: function, file: frame.file?.textOrNil?.kept ?? "", line: line)
  }
}

/// The binary that a frame's path names.
private struct SentryPackage {
  let name: String
  let origin: CallTree.Binary.Origin
}

/// The members of a frame that are read, found in one pass. The first of several equal names counts, even if it is
/// null.
private struct SentryFrameFields {
  private(set) var address: JSONValue?
  private(set) var imageAddress: JSONValue?
  private(set) var package: JSONValue?
  private(set) var samples: JSONValue?
  private(set) var isInApp: JSONValue?
  private(set) var function: JSONValue?
  private(set) var file: JSONValue?
  private(set) var line: JSONValue?
  private var callerFrame: JSONValue?
  private var callerIndex: JSONValue?

  /// The index of the calling frame.
  var caller: JSONValue? { callerFrame.flatMap { $0.isNull ? nil : $0 } ?? callerIndex }

  init(_ frame: JSONObject) {
    for (key, value) in frame {
      switch key {
      case "instruction_addr": address = address ?? value
      case "image_addr": imageAddress = imageAddress ?? value
      case "package": package = package ?? value
      case "sample_count": samples = samples ?? value
      case "in_app": isInApp = isInApp ?? value
      case "function": function = function ?? value
      case "filename": file = file ?? value
      case "lineno": line = line ?? value
      case "parent_frame_index": callerFrame = callerFrame ?? value
      case "parent_index": callerIndex = callerIndex ?? value
      default: break
      }
    }
  }
}

/// The frames of one stack as sent: a chain, outermost first, or a tree in which each frame has its caller's index.
struct SentryStack {
  private var frames: [CallTree.Frame] = []
  private var callers: [Int?] = []
  private var isTree = false

  /// Adds a frame. `caller` is the index of the calling frame among the sent frames.
  mutating func add(_ frame: CallTree.Frame, caller: JSONValue?) {
    let index = caller.flatMap { $0.kind == .integer ? $0.integerOrNil : nil }
    if index != nil { isTree = true }
    frames.append(frame)
    callers.append(index)
  }

  /// The frames, callers before callees. Caller indices count from `base`, the position of the first frame in the call
  /// tree.
  consuming func frames(from base: Int) -> [CallTree.Frame] {
    guard isTree else {
      for index in frames.indices.dropFirst() { frames[index].caller = base + index - 1 }
      return frames
    }
    var called: [[Int]] = Array(repeating: [], count: frames.count)
    var waiting: [(frame: Int, caller: Int)] = []
    for index in frames.indices.reversed() {
      if let caller = callers[index], frames.indices.contains(caller), caller != index {
        called[caller].append(index)
      } else {
        waiting.append((index, -1))
      }
    }
    // Frames that call each other in a cycle are unreachable and left out.
    var ordered: [CallTree.Frame] = []
    while let (index, caller) = waiting.popLast() {
      ordered.append(linked(index, to: caller))
      let parent = base + ordered.count - 1
      for next in called[index] { waiting.append((next, parent)) }
    }
    return ordered
  }

  private func linked(_ index: Int, to caller: Int) -> CallTree.Frame {
    var frame = frames[index]
    frame.caller = caller
    return frame
  }
}

/// The executables and libraries of an event, sorted by address.
struct SentryImages {
  struct Image {
    let start: UInt64
    let size: UInt64
    let binary: CallTree.Binary
  }

  private var images: [Image] = []

  /// The most images that are read. An app loads a few hundred.
  private static let most = 5000

  init(_ event: JSONObject) {
    guard let list = event.object("debug_meta")?.array("images") else { return }
    for element in list.prefix(Self.most) {
      guard let image = element.objectOrNil, let start = image["image_addr"].flatMap(MemoryAddress.read) else {
        continue
      }
      let name = Self.name(image.text("code_file") ?? image.text("name"))
      let uuid = Self.uuid(image.text("debug_id") ?? image.text("uuid"))
      images.append(
        Image(
          start: start, size: image["image_size"].flatMap(MemoryAddress.read) ?? 0,
          binary: .init(name: name, uuid: uuid, origin: .init(path: image.text("code_file")))))
    }
    images.sort { $0.start < $1.start }
  }

  subscript(index: Int) -> Image { images[index] }

  /// The index of the image that contains an address; nil if none does. An image of unknown size extends to the next
  /// one.
  func image(at address: UInt64) -> Int? {
    var low = 0
    var high = images.count
    while low < high {
      let middle = (low + high) / 2
      if images[middle].start <= address { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    let size = images[low - 1].size
    return size == 0 || address - images[low - 1].start < size ? low - 1 : nil
  }

  /// The last component of a path: `Shop` of `/private/var/containers/Shop.app/Shop`.
  static func name(_ path: BorrowedJSONString?) -> String {
    guard let path else { return "" }
    let bytes = path.bytes
    let start = bytes.lastIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }.map { $0 + 1 } ?? 0
    return SanitizedText.name(UnsafeBufferPointer(rebasing: bytes[start...]))
  }

  /// The UUID as 32 upper-case hexadecimal digits; empty if the text is not a UUID.
  private static func uuid(_ text: BorrowedJSONString?) -> String {
    guard let text, (32...60).contains(text.count) else { return "" }
    var digits: [UInt8] = []
    digits.reserveCapacity(32)
    for byte in text.bytes where byte != UInt8(ascii: "-") && digits.count < 32 {
      switch byte {
      case 48...57, 65...70: digits.append(byte)
      case 97...102: digits.append(byte - 32)
      default: return ""
      }
    }
    return digits.count == 32 ? String(decoding: digits, as: UTF8.self) : ""
  }
}
