internal import Core

extension NativeReader {
  /// Reads a crash. It becomes a diagnostic and marks its session as crashed.
  mutating func readCrash(_ crash: JSONObject) throws {
    let at = try time(crash["at"])
    let session = try crash["session"].map { try Self.id($0) }
    try quota.add(.diagnostics, at: crash.value)
    if session != nil { try quota.add(.sessions, at: crash.value) }
    let stacks = try NativeStacks(crash, quota)
    let body = DiagnosticWindow().body(of: crash, keepsText: context.keepsExceptionText)
    diagnostics.append(
      Diagnostic(
        kind: .crash, time: .instant(at), identity: identity(of: crash, body.contentHash, at),
        exception: try exception(of: crash),
        session: session, user: installation, calls: stacks.tree, body: body.json))
    guard let session else { return }
    // The session's own update has the more precise start.
    let started = starts[session] ?? at
    // Without an update of the session, the first crash's time is the start for all its crashes.
    if starts[session] == nil { starts[session] = at }
    sessions.append(
      SessionUpdate(id: session, outcome: .crashed, started: started, updated: at, user: installation))
  }

  /// The hash that identifies a crash. A crash without a time gets the time of receipt, so it counts again if it is
  /// sent again or is in a document twice.
  private func identity(of crash: JSONObject, _ contentHash: UInt64, _ at: Timestamp) -> UInt64 {
    var hash = SeededHash(seed: contentHash)
    hash.combine(UInt64(bitPattern: at.milliseconds))
    hash.combine(installation ?? "")
    origin.combine(into: &hash)
    if crash["at"] == nil { hash.combine(UInt64(diagnostics.count)) }
    return hash.value
  }

  private func exception(of crash: JSONObject) throws -> ExceptionDetails {
    var details = ExceptionDetails()
    details.name = try crash["exception"]?.text().kept
    details.type = details.name.flatMap { MachException.type(named: $0) }
    details.code = try crash["code"]?.unsignedInteger()
    details.termination = try crash["termination"]?.text().kept(DecodingLimits.terminationBytes)
    if let signal = crash["signal"] {
      details.signal = signal.kind == .string ? SignalNumber.named(try signal.text().kept) : try signal.integer()
    }
    if let reason = try crash["reason"]?.text(), context.keepsExceptionText {
      details.reason = reason.kept(DecodingLimits.exceptionBytes)
    }
    return details
  }
}

/// The call stacks of a native crash, innermost frame first: `threads[].frames[]`, or only `frames[]` of the crashed
/// thread.
struct NativeStacks: ~Copyable {
  private(set) var tree = CallTree()
  private var binaries = CallTreeBinaries()
  private let quota: DecodingQuota

  init(_ crash: JSONObject, _ quota: DecodingQuota) throws {
    self.quota = quota
    if let threads = crash["threads"] {
      for element in try threads.array() where !element.isNull { try read(thread: element.object()) }
    } else if let frames = crash["frames"] {
      try read(frames: frames.array(), isAttributed: true)
    }
    tree.binaries = binaries.all
  }

  private mutating func read(thread: JSONObject) throws {
    try quota.add(.threads, at: thread.value)
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
      try quota.add(.frames, at: element)
      tree.frames.append(try frame(element.object()))
    }
    tree.frames[start...].reverse()
    for index in tree.frames.indices[start...] { tree.frames[index].caller = index == start ? -1 : index - 1 }
    tree.threads.append(CallTree.Thread(range: start..<tree.frames.count, isAttributed: isAttributed))
  }

  private mutating func frame(_ frame: JSONObject) throws -> CallTree.Frame {
    let index = try binaries.index(uuid: frame["uuid"]?.text(), name: frame["binary"]?.text())
    var symbol: CallTree.Symbol?
    if let function = try frame["function"]?.text(), function.count > 0 {
      let line = try frame["line"]?.integer()
      symbol = CallTree.Symbol(
        function: function.kept, file: try frame["file"]?.text().kept ?? "", line: line.flatMap { $0 > 0 ? $0 : nil })
    }
    return CallTree.Frame(
      caller: -1, binary: index, offset: try frame["offset"]?.unsignedInteger(),
      address: try frame["address"]?.unsignedInteger(), symbol: symbol)
  }
}
