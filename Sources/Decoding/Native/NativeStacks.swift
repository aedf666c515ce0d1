internal import JSON
internal import Telemetry

/// The call stacks of a native crash: `threads[].frames[]`, or `frames[]` of the one that crashed. Frames are innermost
/// first.
struct NativeStacks {
  private(set) var tree = CallTree()
  private var binaries = CallTreeBinaries()
  private let load: RequestLoad

  init(_ crash: JSONObject, _ load: RequestLoad) throws {
    self.load = load
    if let threads = crash["threads"] {
      for element in try threads.array() where !element.isNull { try read(thread: element.object()) }
    } else if let frames = crash["frames"] {
      try read(frames: frames.array(), isAttributed: true)
    }
    tree.binaries = binaries.all
  }

  private mutating func read(thread: JSONObject) throws {
    try load.add(.threads, at: thread.value)
    let isAttributed = try thread["crashed"]?.boolean() ?? false
    guard let frames = thread["frames"] else {
      let end = tree.frames.count
      tree.threads.append(CallTree.Thread(range: end..<end, isAttributed: isAttributed))
      return
    }
    try read(frames: frames.array(), isAttributed: isAttributed)
  }

  private mutating func read(frames: JSONArray, isAttributed: Bool) throws {
    let start = tree.frames.count
    for element in frames where !element.isNull {
      try load.add(.frames, at: element)
      tree.frames.append(try frame(element.object()))
    }
    tree.frames[start...].reverse()
    for place in tree.frames.indices[start...] { tree.frames[place].caller = place == start ? -1 : place - 1 }
    tree.threads.append(CallTree.Thread(range: start..<tree.frames.count, isAttributed: isAttributed))
  }

  private mutating func frame(_ frame: JSONObject) throws -> CallTree.Frame {
    let place = try binaries.place(uuid: frame["uuid"]?.text(), name: frame["binary"]?.text())
    var symbol: CallTree.Symbol?
    if let function = try frame["function"]?.text(), function.count > 0 {
      let line = try frame["line"]?.integer()
      symbol = CallTree.Symbol(
        function: function.kept, file: try frame["file"]?.text().kept ?? "", line: line.flatMap { $0 > 0 ? $0 : nil })
    }
    return CallTree.Frame(
      caller: -1, binary: place, offset: try frame["offset"]?.unsignedInteger(),
      address: try frame["address"]?.unsignedInteger(), symbol: symbol)
  }
}
