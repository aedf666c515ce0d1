public import Core

/// Computes fingerprints of stacks. The same stack and symbols give the same fingerprint in every process.
public struct Grouper: Sendable {
  /// The number of frames in a fingerprint. With fewer, two causes below one helper share a group. With more, one cause
  /// with several callers is split. See the table in docs/grouping.md.
  var depth: Int

  /// Creates a grouper with the current rules.
  public init() { depth = 2 }

  /// Creates a grouper with another depth, to compare rules.
  public init(depth: Int) { self.depth = depth }

  /// A function in the stack, with the text to compare and the text to show.
  private struct Call: Hashable {
    /// The part of a function's name that is compared.
    var key: String
    /// The function's name on pages.
    var name: String
    var binary: String
    var isNamed: Bool
    var isEntry: Bool
    var isApart: Bool
  }

  /// The fingerprint of a stack. `symbols` contains the functions at a call by UUID and offset, outermost first. Calls
  /// without them use the names stored in the stack. `own` are names of the app's binaries that equal names of the
  /// system's.
  public func fingerprint(
    of stack: NormalizedStack, symbols: [String: [UInt64: [CallTree.Symbol]]] = [:], own: Set<String> = []
  ) -> Fingerprint {
    let decisive = stack.decisive(own) { symbols[$0] != nil }
    let calls = decisive.isOwn ? chosen(from: decisive.frames, stack, symbols) : systemCalls(of: stack)
    let counts = 1...max(1, calls.count)
    func hashes(_ cause: String) -> [UInt64] {
      counts.map { Self.hash(stack.kind, cause, isOwn: decisive.isOwn, calls.prefix($0)) }
    }
    // An abort without an exception's name may belong to any named one, so it is a prefix of theirs.
    let isNameless = stack.kind == .crash && stack.cause.isUnnamedAbort && !calls.isEmpty
    let prefixes = (stack.cause.isNamedAbort ? hashes(DiagnosticCause.abort) : []) + hashes(stack.cause.key)
    let isCut = decisive.isOwn && stack.isCut && decisive.holdsLast && calls.count < depth
    let top = calls.first
    return Fingerprint(
      version: Fingerprint.version, hash: prefixes[prefixes.count - 1], kind: stack.kind, exception: stack.cause.title,
      place: top?.name ?? "", binary: top?.binary ?? "", isSymbolic: calls.allSatisfy(\.isNamed), prefixes: prefixes,
      isCut: isCut || isNameless)
  }

  private static func hash(
    _ kind: DiagnosticKind, _ cause: String, isOwn: Bool, _ calls: some Sequence<Call>
  ) -> UInt64 {
    var hash = StableHash()
    hash.add(UInt64(Fingerprint.version))
    hash.add(UInt64(kind.rawValue))
    hash.add(cause)
    hash.add(isOwn ? 1 : 0)
    for call in calls { hash.add(call.key) }
    return hash.value
  }

  /// The innermost functions of the app that belong together: a run without system code in between.
  private func chosen(
    from frames: [NormalizedStack.Frame], _ stack: NormalizedStack, _ symbols: [String: [UInt64: [CallTree.Symbol]]]
  ) -> [Call] {
    let calls = frames.flatMap { Self.calls(of: $0, symbols) }
    let isOverflow =
      stack.isOverflow || (frames.count == NormalizedStack.mostFrames && Recursion.isCircle(calls.map(\.key)))
    let all = Recursion.collapse(calls, isOverflow: isOverflow, by: \.key)
    if isOverflow { return Array(all.filter { !$0.isEntry }.prefix(depth)) }
    let inner = all.filter { !$0.isEntry }
    guard let first = inner.first else { return Array(all.prefix(1)) }
    var run = [first]
    for call in inner.dropFirst() where run.count < depth {
      if call.isApart { break }
      run.append(call)
    }
    return run
  }

  /// The functions at a frame's address, innermost first, without helpers.
  private static func calls(
    of frame: NormalizedStack.Frame, _ symbols: [String: [UInt64: [CallTree.Symbol]]]
  ) -> [Call] {
    let found = frame.callOffset.flatMap { symbols[frame.uuid]?[$0] } ?? []
    let known = found.isEmpty ? frame.names : found.map(\.function)
    let names = known.isEmpty ? (frame.function.isEmpty ? [] : [frame.function]) : known.reversed()
    guard !names.isEmpty else { return [unnamed(frame)] }
    let module = module(frame.binary)
    return names.compactMap { name -> String? in FunctionName.plain(name, module: module) }.enumerated().map {
      Call(
        key: $1, name: $1, binary: frame.binary, isNamed: true, isEntry: FunctionName.isEntry(names[0]),
        isApart: $0 == 0 && frame.isApart)
    }
  }

  private static func unnamed(_ frame: NormalizedStack.Frame) -> Call {
    let name = frame.binary.isEmpty ? "unnamed binary" : frame.binary
    let offset = frame.offset.map { "0x" + String($0, radix: 16) }
    return Call(
      key: "\(frame.binary)+\(offset ?? "?")", name: offset.map { "\(name) + \($0)" } ?? name, binary: frame.binary,
      isNamed: false, isEntry: frame.isEntry, isApart: frame.isApart)
  }

  /// The functions of a stack without code of the app. System code is identified by name, because its offsets change
  /// with every version.
  private func systemCalls(of stack: NormalizedStack) -> [Call] {
    var calls: [Call] = []
    for frame in stack.frames where calls.count < 2 {
      let name = FunctionName.plain(frame.function) ?? frame.binary
      if name.isEmpty || calls.last?.key == name { continue }
      calls.append(
        Call(key: name, name: name, binary: frame.binary, isNamed: true, isEntry: false, isApart: false))
    }
    return calls
  }

  /// The module's name: its binary's name, in which `_` replaces bytes that Swift does not allow.
  private static func module(_ binary: String) -> String {
    String(
      decoding: binary.utf8.map { byte in
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte > 127 ? byte : 95
      }, as: UTF8.self)
  }
}

/// Functions that call themselves, directly or through others.
private enum Recursion {
  /// The longest cycle that is recognised, in functions.
  private static let longest = 4

  /// The calls without repetitions, because the depth of a recursion is not part of the cause. For a stack overflow the
  /// cycle starts with its smallest key, because the stack ends at a random point of the cycle.
  static func collapse<Call, Key: Hashable & Comparable>(
    _ calls: [Call], isOverflow: Bool, by key: (Call) -> Key
  ) -> [Call] {
    var seen: Set<Key> = []
    let single = calls.filter { seen.insert(key($0)).inserted }
    let keys = single.map(key)
    guard isOverflow, let least = keys.indices.min(by: { keys[$0] < keys[$1] }) else { return single }
    return Array(single[least...] + single[..<least])
  }

  /// Whether the keys are one repeated cycle, the only sign of an overflow in older stacks.
  static func isCircle<Key: Hashable>(_ keys: [Key]) -> Bool {
    (1...longest).contains { period in
      keys.count > 2 * period && keys.indices.dropFirst(period).allSatisfy { keys[$0] == keys[$0 - period] }
    }
  }
}
