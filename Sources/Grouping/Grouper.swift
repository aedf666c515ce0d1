import Bytes
public import Telemetry

/// Stems → fingerprints. Pure: the same stem and symbols give the same fingerprint in every process.
public struct Grouper: Sendable {
  /// Frames that a fingerprint looks at. Fewer put two causes below one helper together, more tear one cause apart that
  /// is reached on several ways: see the table in docs/groups.md.
  public var depth: Int

  /// The rules in force.
  public init() { depth = 2 }

  /// Other rules, to compare them.
  public init(depth: Int) { self.depth = depth }

  /// One function on the way.
  private struct Call: Hashable {
    /// What is compared.
    var key: String
    /// What people read.
    var name: String
    var binary: String
    var isNamed: Bool
    var isEntry: Bool
    var isApart: Bool
  }

  /// The fingerprint of a stem, with the names that `symbols` knows of its frames: per binary (its UUID) and offset of a
  /// call, outermost first. Where they know none, those that the stem remembers. `own`: names of binaries that came with the
  /// app, although they are called like the system's.
  public func fingerprint(
    of stem: NormalizedStack, symbols: [String: [UInt64: [CallTree.Symbol]]] = [:], own: Set<String> = []
  ) -> Fingerprint {
    let decisive = stem.decisive(own) { symbols[$0] != nil }
    let calls = decisive.isOwn ? chosen(from: decisive.frames, stem, symbols) : systemCalls(of: stem)
    let counts = 1...max(1, calls.count)
    func hashes(_ cause: String) -> [UInt64] {
      counts.map { Self.hash(stem.kind, cause, isOwn: decisive.isOwn, calls.prefix($0)) }
    }
    // A report that does not name the exception may be of any that is named: it begins like them.
    let isNameless = stem.kind == .crash && stem.cause.isUnnamedAbort && !calls.isEmpty
    let prefixes = (stem.cause.isNamedAbort ? hashes(Cause.abort) : []) + hashes(stem.cause.key)
    let isCut = decisive.isOwn && stem.isCut && decisive.holdsLast && calls.count < depth
    let top = calls.first
    return Fingerprint(
      version: Fingerprint.version, hash: prefixes[prefixes.count - 1], kind: stem.kind, exception: stem.cause.title,
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

  /// The app's functions nearest to the end that belong together: a run that no code of the system interrupts.
  private func chosen(
    from frames: [NormalizedStack.Frame], _ stem: NormalizedStack, _ symbols: [String: [UInt64: [CallTree.Symbol]]]
  ) -> [Call] {
    let calls = frames.flatMap { Self.calls(of: $0, symbols) }
    let isOverflow =
      stem.isOverflow || (frames.count == NormalizedStack.mostFrames && Recursion.isCircle(calls.map(\.key)))
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

  /// The functions at an address, innermost first. Helpers are none.
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
    let place = frame.offset.map { "0x" + String($0, radix: 16) }
    return Call(
      key: "\(frame.binary)+\(place ?? "?")", name: place.map { "\(name) + \($0)" } ?? name, binary: frame.binary,
      isNamed: false, isEntry: frame.isEntry, isApart: frame.isApart)
  }

  /// Code of the system is known by name: its offsets change with every version of it.
  private func systemCalls(of stem: NormalizedStack) -> [Call] {
    var calls: [Call] = []
    for frame in stem.frames where calls.count < 2 {
      let name = FunctionName.plain(frame.function) ?? frame.binary
      if name.isEmpty || calls.last?.key == name { continue }
      calls.append(
        Call(key: name, name: name, binary: frame.binary, isNamed: true, isEntry: false, isApart: false))
    }
    return calls
  }

  /// A module is called like its binary, as far as Swift can.
  private static func module(_ binary: String) -> String {
    String(
      decoding: binary.utf8.map { byte in
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte > 127 ? byte : 95
      }, as: UTF8.self)
  }
}
