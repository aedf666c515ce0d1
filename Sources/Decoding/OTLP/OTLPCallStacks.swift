internal import JSON
internal import Telemetry

/// The call stacks of OpenTelemetry's instrumentation of MetricKit: JSON in the attribute `exception.stacktrace`, every
/// stack a list of frames, innermost first.
///
///     {"callStackPerThread": true, "callStacks": [{"threadAttributed": true, "callStackFrames":
///       [{"binaryName": "Shop", "binaryUUID": "70B8…", "offsetAddress": 4660}]}]}
///
/// Source: opentelemetry-swift, instrumentation "MetricKit"
struct OTLPCallStacks {
  private var tree = CallTree()
  private var binaries: [CallTree.Binary: Int] = [:]
  private let load: RequestLoad

  private init(load: RequestLoad) { self.load = load }

  /// Nil for a text that holds no such stacks, as those of other languages.
  static func read(_ text: String, _ parser: JSONParser, _ load: RequestLoad) -> CallTree? {
    guard text.utf8.first == UInt8(ascii: "{") else { return nil }
    return try? Array(text.utf8).withUnsafeBytes { bytes in
      try parser.withDocument(bytes) { root in
        var stacks = OTLPCallStacks(load: load)
        for stack in try root.object().required("callStacks").array() { try stacks.add(stack.object()) }
        return stacks.tree
      }
    }
  }

  private mutating func add(_ stack: JSONObject) throws {
    guard let list = stack["callStackFrames"] else { return }
    let start = tree.frames.count
    for frame in try frames(list.array()).reversed() {
      let caller = tree.frames.count > start ? tree.frames.count - 1 : -1
      try tree.frames.append(self.frame(frame.object(), caller: caller))
    }
    guard tree.frames.count > start else { return }
    let isAttributed = try stack["threadAttributed"].map { try $0.boolean() } ?? false
    tree.threads.append(.init(range: start..<tree.frames.count, isAttributed: isAttributed))
  }

  /// The frames of a list, counted before more is made of them.
  private func frames(_ list: JSONArray) throws -> [JSONValue] {
    var frames: [JSONValue] = []
    for frame in list {
      try load.add(.frames, at: frame)
      frames.append(frame)
    }
    return frames
  }

  private mutating func frame(_ frame: JSONObject, caller: Int) throws -> CallTree.Frame {
    CallTree.Frame(
      caller: caller, binary: try binary(frame),
      offset: try (frame["offsetAddress"] ?? frame["offsetIntoBinaryTextSegment"]).map { try $0.unsignedInteger() },
      address: try frame["address"].map { try $0.unsignedInteger() })
  }

  private mutating func binary(_ frame: JSONObject) throws -> Int {
    let binary = CallTree.Binary(
      name: try frame["binaryName"].map { try $0.text().kept } ?? "",
      uuid: try frame["binaryUUID"].map { try Self.digits($0.text()) } ?? "")
    if binary.name.isEmpty, binary.uuid.isEmpty { return -1 }
    if let known = binaries[binary] { return known }
    tree.binaries.append(binary)
    binaries[binary] = tree.binaries.count - 1
    return tree.binaries.count - 1
  }

  /// 32 upper-case hexadecimal digits; empty for any other text.
  private static func digits(_ uuid: JSONText) -> String {
    let digits = uuid.bytes.filter { $0 != UInt8(ascii: "-") }.map { (97...102).contains($0) ? $0 - 32 : $0 }
    let isUUID = digits.count == 32 && digits.allSatisfy { (48...57).contains($0) || (65...70).contains($0) }
    return isUUID ? String(decoding: digits, as: UTF8.self) : ""
  }
}
