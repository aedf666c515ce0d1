public import Core
public import Storage

/// The result of regrouping stored diagnostics with new symbols or rules.
public struct Regrouping: Sendable, Equatable {
  /// The number of signatures that moved to another group.
  var moved = 0
  /// The number of signatures with offsets that could not be looked up, because the symbolizer is missing or failed.
  /// They are retried.
  public var unanswered = 0
  /// The groups between which diagnostics moved.
  var merges: [RegroupingMove] = []
}

extension GroupTransactions {
  /// Updates groups to the current symbols. Names identify causes better than offsets, so groups of different builds
  /// become one. It works in small transactions, concurrently with the digest, and does nothing if nothing changed.
  ///
  /// Names are kept after symbols are removed. With `retrying`, failed lookups of offsets are repeated; without it,
  /// only new signatures are resolved.
  @discardableResult public func regroup(symbols: any SymbolSource, retrying: Bool = true) throws -> Regrouping {
    try signOldDiagnostics()
    if retrying { try requeueUnanswered() }
    var log = RegroupingMoveLog()
    var done = try resolve(symbols, &log)
    done.moved += try mergeTruncated(&log)
    let noted = log
    done.merges = try readGroups { try noted.merges(in: $0) }
    return done
  }

  /// Stores the binaries that teams declared as their apps' own and regroups. It then moves people's decisions to the
  /// groups that theirs were merged into. `now` is the time of these decisions.
  @discardableResult public func regroup(
    symbols: any SymbolSource, ownBinaries: [AppID: Set<String>], decisions: any GroupDecisions, retrying: Bool,
    now: () -> Timestamp
  ) throws -> Regrouping {
    try setOwnBinaries(ownBinaries)
    let done = try regroup(symbols: symbols, retrying: retrying)
    for (app, merges) in Dictionary(grouping: done.merges, by: \.app) {
      let known = try decisions.groupStates(of: app)
      guard !known.isEmpty else { continue }
      for (group, decision) in MergedDecisions.changes(merges, known: known, now: now()) {
        try decisions.decide(decision, of: app, group: group)
      }
    }
    return done
  }

  /// Replaces the declared binaries of each app. If an app's changed, the next `regroup` groups its diagnostics again.
  func setOwnBinaries(_ names: [AppID: Set<String>]) throws {
    let known = try readGroups { try $0.ownBinaries() }
    let changed = Set(known.keys).union(names.keys).filter { known[$0, default: []] != names[$0, default: []] }
    guard !changed.isEmpty else { return }
    try writeGroups { rows in
      for app in changed {
        try rows.setOwnBinaries(names[app, default: []], of: app)
        try rows.setGeneration(SignatureGeneration.outdated, whereGeneration: nil, app: app)
      }
    }
  }

  // MARK: Names

  private func requeueUnanswered() throws {
    let unanswered = SignatureGeneration.unanswered
    let isAny = try readGroups { try !$0.signatures(generations: [unanswered...unanswered], limit: 1).isEmpty }
    guard isAny else { return }
    try writeGroups { try $0.setGeneration(SignatureGeneration.new, whereGeneration: unanswered, app: nil) }
  }

  /// Resolves the signatures that were resolved with symbols other than the current ones.
  private func resolve(_ symbols: any SymbolSource, _ log: inout RegroupingMoveLog) throws -> Regrouping {
    let generation = symbols.generation
    let outdated = SignatureGeneration.outdated
    var stale = [outdated...outdated]
    // Without any symbols so far, nothing needs to be looked up.
    if generation > 0 { stale += [SignatureGeneration.new...generation - 1, min(generation, .max - 1) + 1...Int.max] }
    let own = try readGroups { try $0.ownBinaries() }
    var done = Regrouping()
    while true {
      let signatures = try readGroups { try $0.signatures(generations: stale, limit: signaturesAtOnce) }
      if signatures.isEmpty { return done }
      let answers = SymbolAnswers(of: signatures.compactMap(\.stack), symbols)
      let resolved = signatures.map { signature in
        signature.stack.map { ResolvedSignature(signature, $0, answers, own: own[signature.app, default: []]) }
      }
      done.unanswered += resolved.count { $0?.isAnswered == false }
      let noted = log
      let moved: Int
      (moved, log) = try writeGroups { rows in
        var (moved, log) = (0, noted)
        for (signature, resolved) in zip(signatures, resolved) where try rows.isStored(signature) {
          guard let resolved else {
            try rows.update(signature.id, group: signature.group, generation: generation, stack: nil)
            continue
          }
          if try resolved.save(generation, to: rows, &log) { moved += 1 }
        }
        return (moved, log)
      }
      done.moved += moved
    }
  }

  // MARK: Truncated stacks

  /// Merges groups of truncated stacks into groups that start with the same frames. Returns the number of moved
  /// signatures.
  private func mergeTruncated(_ log: inout RegroupingMoveLog) throws -> Int {
    var moved = 0
    for app in try readGroups({ try $0.appsWithCutGroups() }) {
      let noted = log
      let (count, next) = try writeGroups { rows in
        var (count, log) = (0, noted)
        let assignment = GroupAssignment(rows, app: app)
        let groups = try rows.currentGroups(of: app, version: Fingerprint.version)
        for (cut, home) in TruncatedStacks.homes(of: groups) {
          guard let part = try rows.groupID(of: cut, app: app), let whole = try rows.groupID(of: home, app: app) else {
            continue
          }
          try log.noteAll(of: part, app: app, to: whole, in: rows)
          count += try rows.moveSignatures(from: part, to: whole)
          try assignment.retire(part, into: whole)
        }
        return (count, log)
      }
      moved += count
      log = next
    }
    return moved
  }
}

/// The most signatures in one transaction.
private let signaturesAtOnce = 1_000

/// The functions of all frames in some stacks, looked up once per binary.
private struct SymbolAnswers {
  private(set) var names: [String: [UInt64: [CallTree.Symbol]]] = [:]
  /// The offsets that could not be looked up, by the UUID of their binary.
  private(set) var unanswered: [String: Set<UInt64>] = [:]

  init(of stacks: [NormalizedStack], _ symbols: any SymbolSource) {
    var wanted: [String: Set<UInt64>] = [:]
    for frame in stacks.flatMap(\.frames) {
      if let offset = frame.callOffset, !frame.uuid.isEmpty { wanted[frame.uuid, default: []].insert(offset) }
    }
    for (uuid, offsets) in wanted where symbols.hasSymbols(uuid: uuid) {
      let offsets = offsets.sorted()
      if let lookup = symbols as? any SymbolLookup {
        (names[uuid], unanswered[uuid]) = lookup.lookUp(uuid: uuid, offsets: offsets)
      } else {
        names[uuid] = symbols.symbols(uuid: uuid, offsets: offsets)
      }
    }
  }
}

/// A stored signature with the current names of its frames.
private struct ResolvedSignature {
  private let stored: StoredSignature
  private let stack: NormalizedStack
  private let fingerprint: Fingerprint
  private let own: Set<String>
  /// Whether every frame without a name could be looked up in symbols.
  let isAnswered: Bool

  init(_ stored: StoredSignature, _ old: NormalizedStack, _ answers: SymbolAnswers, own: Set<String>) {
    self.stored = stored
    self.own = own
    let stack = old.named(by: answers.names)
    self.stack = stack
    fingerprint = Grouper().fingerprint(of: stack, own: own)
    isAnswered = !stack.frames.contains { frame in
      guard frame.names.isEmpty, let offset = frame.callOffset else { return false }
      return answers.unanswered[frame.uuid]?.contains(offset) == true
    }
  }

  /// Stores the signature with its current group. Returns whether the group changed.
  func save(_ generation: Int, to rows: any GroupRows, _ log: inout RegroupingMoveLog) throws -> Bool {
    let assignment = GroupAssignment(rows, app: stored.app)
    let group = try group(in: rows, assignment)
    if stored.generation == SignatureGeneration.outdated, fingerprint.isCut,
      try rows.groupID(of: fingerprint.hash, app: stored.app) == group
    {
      try rows.markCut(group)
    }
    let isMoved = group != stored.group
    if isMoved { try log.note(stored, to: group, in: rows) }
    try rows.update(
      stored.id, group: group, generation: isAnswered ? generation : SignatureGeneration.unanswered,
      stack: stack == stored.stack ? nil : stack)
    if isMoved { try assignment.retire(stored.group, into: group) }
    return isMoved
  }

  /// The signature's current group. A group with names never loses its diagnostics to one without, because names may
  /// have been found before they were stored with signatures. The exception: system code turned out to be the app's.
  private func group(in rows: any GroupRows, _ assignment: GroupAssignment) throws -> Int64 {
    let hasMoreOwnFrames = stack.ownFrames(own) > stored.stack?.ownFrames() ?? 0
    if !fingerprint.isSymbolic, !hasMoreOwnFrames, try rows.group(stored.group)?.isSymbolic == true {
      return stored.group
    }
    return try assignment.group(of: fingerprint)
  }
}

/// A source of symbols that reports failed lookups, for example while a symbolizer is unavailable.
public protocol SymbolLookup: SymbolSource {
  /// The functions as `symbols` returns them, and the offsets that could not be looked up. All other offsets were
  /// looked up, whether they have a name or not.
  func lookUp(
    uuid: String, offsets: [UInt64]
  ) -> (names: [UInt64: [CallTree.Symbol]], unanswered: Set<UInt64>)
}

/// A source without symbols. No frame gets a name.
public struct NoSymbols: SymbolSource {
  public init() {}

  public var generation: Int { 0 }

  public func hasSymbols(uuid: String) -> Bool { false }

  public func symbols(uuid: String, offsets: [UInt64]) -> [UInt64: [CallTree.Symbol]] { [:] }
}

/// Assigns incomplete stacks to a group that starts with the same frames. Truncated stacks and stacks of an abort
/// without an exception's name are incomplete. A stack is assigned only if there is one such group, or if one of them
/// has at least three quarters of their diagnostics.
public enum TruncatedStacks {
  /// The complete fingerprints to which truncated ones belong, by hash. `count` is the number of diagnostics of each.
  public static func homes(of fingerprints: [(fingerprint: Fingerprint, count: Int)]) -> [UInt64: UInt64] {
    // A truncated stack may start like an abort without a name, which in turn belongs to one with a name.
    let first = homes(of: fingerprints, [:])
    return homes(of: fingerprints, first)
  }

  private static func homes(
    of fingerprints: [(fingerprint: Fingerprint, count: Int)], _ known: [UInt64: UInt64]
  ) -> [UInt64: UInt64] {
    var wholes: [UInt64: [UInt64: Int]] = [:]
    for (fingerprint, count) in fingerprints {
      for prefix in fingerprint.prefixes.dropLast() {
        wholes[prefix, default: [:]][known[fingerprint.hash] ?? fingerprint.hash, default: 0] += count
      }
    }
    var homes: [UInt64: UInt64] = [:]
    for (fingerprint, _) in fingerprints where fingerprint.isCut {
      guard var found = wholes[fingerprint.hash] else { continue }
      found[fingerprint.hash] = nil
      let total = found.values.reduce(0, +)
      guard let most = found.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }), most.value * 4 >= total * 3 else {
        continue
      }
      homes[fingerprint.hash] = most.key
    }
    return homes
  }
}
