internal import Core

/// Builds the call tree of a Sentry event: first the stack of the thrown exception, then those of other threads.
struct SentryCallTree: ~Copyable {
  private let images: SentryImages
  private var tree = CallTree()
  /// The indices of binaries beyond `mostCompared`.
  private var binaries: [CallTree.Binary: Int] = [:]
  /// The binaries of packages that frames stated before.
  private var packages = TextTable<PackageBinary>()
  /// The app's name. Its executable usually has the same name.
  private let app: String
  private let quota: DecodingQuota
  private let symbols: RecentSymbols

  /// The most frames of one event. Clients send far fewer. Further frames are left out.
  private static let mostFrames = 20_000
  /// The most threads of one event. Clients send far fewer. Further threads are left out.
  private static let mostThreads = 1000

  static func tree(
    of event: JSONObject, _ exceptions: SentryExceptions, _ quota: DecodingQuota, _ symbols: RecentSymbols
  ) -> CallTree {
    let app = event.object("contexts")?.object("app")?.name("app_name") ?? ""
    var calls = SentryCallTree(images: SentryImages(event), app: app, quota, symbols)
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

  private init(images: SentryImages, app: String, _ quota: DecodingQuota, _ symbols: RecentSymbols) {
    self.images = images
    self.app = app
    self.quota = quota
    self.symbols = symbols
  }

  private mutating func add(stackOf owner: JSONObject?, isAttributed: Bool) {
    guard let frames = owner?.object("stacktrace")?.array("frames"), !frames.isEmpty,
      tree.threads.count < Self.mostThreads, tree.frames.count < Self.mostFrames
    else { return }
    let first = tree.frames.count
    if first == 0 { tree.frames.reserveCapacity(64) }
    var callers = SentryCallers()
    for element in frames.prefix(Self.mostFrames - first) {
      guard let frame = element.objectOrNil, quota.take(.frames) else { continue }
      let fields = SentryFrameFields(frame)
      tree.frames.append(read(fields))
      callers.add(fields.caller)
    }
    callers.link(&tree.frames, from: first)
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
    let base = start ?? image.map { images.start(of: $0) }
    let offset: UInt64? = if let address, let base, address >= base { address - base } else { nil }
    let samples = frame.samples?.quantity.map { max(1, min($0, DecodingLimits.samples)) } ?? 1
    let binary = binary(frame.package?.textOrNil, image)
    // `in_app` identifies the app's own binaries. Its absence only excludes the executable.
    if binary.origin == .unknown, binary.index >= 0, frame.isInApp?.booleanOrNil == true {
      tree.binaries[binary.index].origin.merge(.app)
    }
    return CallTree.Frame(
      caller: -1, binary: binary.index, offset: offset, address: address, samples: Int(samples),
      symbol: symbol(frame))
  }

  /// The binary of a frame, from the package that the frame states and the image at its address. The frames of a stack
  /// have few different ones.
  private mutating func binary(_ package: BorrowedJSONString?, _ image: Int?) -> PackageBinary {
    guard let package else { return found(nil, image) }
    let (slot, known) = packages.find(package)
    if let known, known.image == image { return known }
    let binary = found(package, image)
    packages.set(slot, package, binary)
    return binary
  }

  private mutating func found(_ package: BorrowedJSONString?, _ image: Int?) -> PackageBinary {
    let loaded = image.map { images[$0].binary }
    let binary = CallTree.Binary(
      name: package.map(SentryImages.name) ?? loaded?.name ?? "", uuid: loaded?.uuid ?? "")
    var origin = CallTree.Binary.Origin(path: package)
    if origin == .unknown { origin = loaded?.origin ?? .unknown }
    if origin == .unknown, !app.isEmpty, binary.name == app { origin = .app }
    if binary.name.isEmpty, binary.uuid.isEmpty { return PackageBinary(image: image, index: -1, origin: origin) }
    let index = known(binary) ?? tree.binaries.count
    if index == tree.binaries.count {
      tree.binaries.append(binary)
      if index >= Self.mostCompared { binaries[binary] = index }
    }
    tree.binaries[index].origin.merge(origin)
    return PackageBinary(image: image, index: index, origin: origin)
  }

  /// The index of a binary. The first ones are compared, because most stacks have few; only further ones are hashed.
  private func known(_ binary: CallTree.Binary) -> Int? {
    tree.binaries.prefix(Self.mostCompared).firstIndex { $0.name == binary.name && $0.uuid == binary.uuid }
      ?? binaries[binary]
  }

  private static let mostCompared = 16

  private func symbol(_ frame: SentryFrameFields) -> CallTree.Symbol? {
    guard let function = frame.function?.textOrNil else { return nil }
    let file = frame.file?.textOrNil
    let line = frame.line?.rounded.flatMap { (1...Int(Int32.max)).contains($0) ? $0 : nil }
    let symbol = symbols.symbol(function.bytes, file?.bytes ?? RecentSymbols.none, line: line) {
      CallTree.Symbol(function: function.kept, file: file?.kept ?? "", line: line)
    }
    return symbol.function.isEmpty || symbol.function == "<redacted>" ? nil : symbol
  }
}

/// The binary of frames with the same package and image.
private struct PackageBinary {
  let image: Int?
  /// The index in `CallTree.binaries`; −1 without name and UUID.
  let index: Int
  /// The origin as package, image and name state it.
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
