internal import JSON
internal import Telemetry

/// Builds the call tree of an event: the stack of what was thrown, then those of the other threads.
struct SentryCalls {
  private let images: SentryImages
  private var tree = CallTree()
  private var binaries: [CallTree.Binary: Int] = [:]
  /// The app's name, which its executable mostly has.
  private let app: String
  private let load: RequestLoad

  /// Far more than clients send; what is beyond is left out.
  private static let mostFrames = 20_000
  private static let mostThreads = 1000

  static func tree(of event: JSONObject, _ exceptions: SentryExceptions, _ load: RequestLoad) -> CallTree {
    var calls = SentryCalls(
      images: SentryImages(event), app: event.object("contexts")?.object("app")?.name("app_name") ?? "", load: load)
    calls.add(stackOf: exceptions.thrown, isAttributed: true)
    let thrower = exceptions.thrown?.name("thread_id")
    var attributed = calls.tree.threads.count
    SentryExceptions.forEach(event["threads"]) { thread in
      let isThrower = thread.boolean("crashed") == true || (thrower != nil && thread.name("id") == thrower)
      // The stack of what was thrown is this thread's own.
      if isThrower, attributed > 0 { return }
      calls.add(stackOf: thread, isAttributed: isThrower)
      if isThrower { attributed = calls.tree.threads.count }
    }
    if calls.tree.frames.isEmpty { calls.add(stackOf: event, isAttributed: true) }
    if attributed == 0 { calls.attribute(event) }
    return calls.tree
  }

  private init(images: SentryImages, app: String, load: RequestLoad) {
    self.images = images
    self.app = app
    self.load = load
  }

  private mutating func add(stackOf owner: JSONObject?, isAttributed: Bool) {
    guard let frames = owner?.object("stacktrace")?.array("frames"), !frames.isEmpty,
      tree.threads.count < Self.mostThreads, tree.frames.count < Self.mostFrames
    else { return }
    let first = tree.frames.count
    var stack = SentryStack()
    for element in frames.prefix(Self.mostFrames - first) {
      guard let frame = element.objectOrNil, load.take(.frames) else { continue }
      stack.add(read(frame), caller: frame["parent_frame_index"] ?? frame["parent_index"], of: element)
    }
    tree.frames += stack.frames(from: first)
    guard tree.frames.count > first else { return }
    tree.threads.append(CallTree.Thread(range: first..<tree.frames.count, isAttributed: isAttributed))
  }

  /// Without a thread that crashed, the one that reported it; else the only one.
  private mutating func attribute(_ event: JSONObject) {
    if tree.threads.count == 1 { tree.threads[0].isAttributed = true }
    guard tree.threads.count > 1 else { return }
    var place = 0
    var current: Int?
    SentryExceptions.forEach(event["threads"]) { thread in
      guard thread.object("stacktrace")?.array("frames")?.isEmpty == false else { return }
      if thread.boolean("current") == true { current = current ?? place }
      place += 1
    }
    if let current, current < tree.threads.count { tree.threads[current].isAttributed = true }
  }

  private mutating func read(_ frame: JSONObject) -> CallTree.Frame {
    let address = frame["instruction_addr"].flatMap(SentryAddress.read)
    let start = frame["image_addr"].flatMap(SentryAddress.read)
    let image = (start ?? address).flatMap(images.image(at:))
    let base = start ?? image?.start
    let offset: UInt64? = if let address, let base, address >= base { address - base } else { nil }
    let name = frame.text("package").map { SentryImages.name($0) } ?? image?.binary.name ?? ""
    let samples = frame.number("sample_count").map { max(1, min($0, Limits.samples)) } ?? 1
    var origin = CallTree.Binary.Origin(path: frame.text("package"))
    if origin == .unknown, let image { origin = image.binary.origin }
    // A client knows its own; of others it only says that they are not the executable.
    if origin == .unknown, frame.boolean("in_app") == true || (!app.isEmpty && name == app) { origin = .app }
    return CallTree.Frame(
      caller: -1, binary: binary(CallTree.Binary(name: name, uuid: image?.binary.uuid ?? ""), origin), offset: offset,
      address: address, samples: Int(samples), symbol: Self.symbol(frame))
  }

  private mutating func binary(_ binary: CallTree.Binary, _ origin: CallTree.Binary.Origin) -> Int {
    if binary.name.isEmpty, binary.uuid.isEmpty { return -1 }
    let place = binaries[binary] ?? tree.binaries.count
    if place == tree.binaries.count { tree.binaries.append(binary) }
    binaries[binary] = place
    tree.binaries[place].origin.merge(origin)
    return place
  }

  private static func symbol(_ frame: JSONObject) -> CallTree.Symbol? {
    guard let function = frame.text("function")?.kept, !function.isEmpty, function != "<redacted>" else { return nil }
    let line = frame.integer("lineno").flatMap { (1...Int(Int32.max)).contains($0) ? $0 : nil }
    return CallTree.Symbol(function: function, file: frame.text("filename")?.kept ?? "", line: line)
  }
}
