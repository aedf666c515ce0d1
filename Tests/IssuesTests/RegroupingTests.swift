import Synchronization
import Testing

@testable import Core
@testable import Ingest
@testable import Storage

/// Groups and signatures in memory: the rules need no database.
private final class MemoryGroups: GroupRows, GroupTransactions {
  private struct State {
    var groups: [GroupRow] = []
    var signatures: [StoredSignature] = []
    var own: [AppID: Set<String>] = [:]
  }

  private let state = Mutex(State())

  func readGroups<Value>(_ body: (any GroupRows) throws -> Value) throws -> Value { try body(self) }
  func writeGroups<Value>(_ body: (any GroupRows) throws -> Value) throws -> Value { try body(self) }
  func signOldDiagnostics() throws {}

  /// Adds a diagnostic's signature as a store does.
  func add(_ signature: DiagnosticSignature) throws {
    let (group, stack) = try GroupAssignment(self, app: 1).assign(signature, own: state.withLock { $0.own[1] ?? [] })
    state.withLock { state in
      state.signatures.append(
        StoredSignature(
          id: Int64(state.signatures.count), app: 1, group: group, generation: SignatureGeneration.new, stack: stack))
    }
  }

  /// Signatures of each group that has some, by fingerprint.
  var counts: [UInt64: Int] {
    state.withLock { state in
      state.signatures.reduce(into: [:]) { $0[state.groups[Int($1.group)].fingerprint, default: 0] += 1 }
    }
  }

  func groupID(of fingerprint: UInt64, app: AppID) throws -> Int64? {
    state.withLock { $0.groups.firstIndex { $0.fingerprint == fingerprint }.map { Int64($0) } }
  }

  func group(_ id: Int64) throws -> GroupRow? {
    state.withLock { $0.groups.indices.contains(Int(id)) ? $0.groups[Int(id)] : nil }
  }

  func insertGroup(_ fingerprint: Fingerprint, app: AppID) throws -> Int64 {
    state.withLock { state in
      state.groups.append(
        GroupRow(
          fingerprint: fingerprint.hash, successor: nil, isSymbolic: fingerprint.isSymbolic,
          prefixes: fingerprint.prefixes))
      return Int64(state.groups.count - 1)
    }
  }

  func setSuccessor(_ successor: Int64?, of group: Int64) throws {
    state.withLock { $0.groups[Int(group)].successor = successor }
  }

  func markCut(_ group: Int64) throws {}
  func currentGroups(of app: AppID, version: Int) throws -> [(fingerprint: Fingerprint, count: Int)] { [] }
  func appsWithCutGroups() throws -> [AppID] { [] }

  func hasSignatures(_ group: Int64) throws -> Bool {
    state.withLock { $0.signatures.contains { $0.group == group } }
  }

  func forEachStack(of group: Int64, limit: Int, _ body: (NormalizedStack) throws -> Bool) throws {
    let stacks = state.withLock { $0.signatures.filter { $0.group == group }.reversed().compactMap(\.stack) }
    for stack in stacks.prefix(limit) where try !body(stack) { return }
  }

  func signatures(generations: [ClosedRange<Int>], limit: Int) throws -> [StoredSignature] {
    state.withLock { state in
      Array(generations.flatMap { range in state.signatures.filter { range.contains($0.generation) } }.prefix(limit))
    }
  }

  func isStored(_ signature: StoredSignature) throws -> Bool {
    state.withLock { $0.signatures[Int(signature.id)] == signature }
  }

  func update(_ signature: Int64, group: Int64, generation: Int, stack: NormalizedStack?) throws {
    state.withLock { state in
      state.signatures[Int(signature)].group = group
      state.signatures[Int(signature)].generation = generation
      if let stack { state.signatures[Int(signature)].stack = stack }
    }
  }

  func moveSignatures(from group: Int64, to other: Int64) throws -> Int { 0 }

  func setGeneration(_ generation: Int, whereGeneration old: Int?, app: AppID?) throws {
    state.withLock { state in
      for index in state.signatures.indices where old == nil || state.signatures[index].generation == old {
        state.signatures[index].generation = generation
      }
    }
  }

  func diagnosticCount(ofGroup group: Int64) throws -> Int {
    state.withLock { $0.signatures.count { $0.group == group } }
  }

  func diagnosticCount(ofSignature signature: Int64) throws -> Int { 1 }
  func ownBinaries() throws -> [AppID: Set<String>] { state.withLock { $0.own } }
  func setOwnBinaries(_ names: Set<String>, of app: AppID) throws { state.withLock { $0.own[app] = names } }
}

/// Symbols of some builds.
private struct Symbols: SymbolSource {
  var generation: Int
  var names: [String: [UInt64: [CallTree.Symbol]]]

  func hasSymbols(uuid: String) -> Bool { names[uuid] != nil }
  func symbols(uuid: String, offsets: [UInt64]) -> [UInt64: [CallTree.Symbol]] {
    (names[uuid] ?? [:]).filter { offsets.contains($0.key) }
  }
}

/// Decisions in memory.
private final class Decisions: GroupDecisions {
  private let state: Mutex<[UInt64: GroupDecision]>

  init(_ decisions: [UInt64: GroupDecision]) { state = Mutex(decisions) }

  func groupStates(of app: AppID) throws -> [UInt64: GroupDecision] { state.withLock { $0 } }
  func decide(_ decision: GroupDecision, of app: AppID, group fingerprint: UInt64) throws {
    state.withLock { $0[fingerprint] = decision.state == .open ? nil : decision }
  }
}

@Suite("Regrouping without a database")
struct RegroupingTests {
  private static let builds = ["1", "2"].map { String(repeating: $0, count: 32) }
  private static let exception = ExceptionDetails(type: 1, name: "EXC_BAD_ACCESS")
  private static let symbols = Symbols(
    generation: 1,
    names: [builds[0]: [0x10: [.init(function: "pay()")]], builds[1]: [0x20: [.init(function: "pay()")]]]
  )

  /// The stack of a crash in `pay()`, which has another offset in each build.
  private static func stack(build: Int) -> NormalizedStack {
    NormalizedStack(
      kind: .crash, cause: DiagnosticCause(.crash, exception),
      frames: [.init(binary: "Shop", uuid: builds[build], offset: build == 0 ? 0x10 : 0x20)], isOwn: true, isCut: false)
  }

  private static func filled() throws -> MemoryGroups {
    let groups = MemoryGroups()
    for build in builds.indices { try groups.add(DiagnosticSignature(stack(build: build))) }
    return groups
  }

  @Test("symbols merge the groups of two builds, and decisions move with their diagnostics")
  func merging() throws {
    let groups = try Self.filled()
    let before = groups.counts
    #expect(before.count == 2)
    let ignored = GroupDecision(.ignored, changed: Timestamp(milliseconds: 1))
    let decisions = Decisions(before.mapValues { _ in ignored })
    let done = try groups.regroup(
      symbols: Self.symbols, ownBinaries: [:], decisions: decisions, retrying: true,
      now: { Timestamp(milliseconds: 2) })
    let merged = try #require(groups.counts.first)
    #expect(groups.counts.count == 1 && merged.value == 2 && before[merged.key] == nil)
    #expect(done.moved == 2 && Set(done.merges.map(\.part)) == Set(before.keys))
    #expect(done.merges.allSatisfy { $0.whole == merged.key && $0.isEmptied && $0.before == 0 })
    #expect(try decisions.groupStates(of: 1) == [merged.key: ignored])
    for fingerprint in before.keys {
      let group = try #require(try groups.groupID(of: fingerprint, app: 1))
      #expect(try groups.group(groups.lastSuccessor(of: group))?.fingerprint == merged.key)
    }
  }

  @Test("after symbols were removed, the same code of a known build joins the group with its names")
  func removedSymbols() throws {
    let groups = try Self.filled()
    try groups.regroup(symbols: Self.symbols)
    let merged = groups.counts
    try groups.regroup(symbols: Symbols(generation: 2, names: [:]))
    try groups.add(DiagnosticSignature(Self.stack(build: 0)))
    #expect(Set(groups.counts.keys) == Set(merged.keys) && groups.counts.values.reduce(0, +) == 3)
  }

  @Test("a cycle of successors, as in a damaged file, ends")
  func circle() throws {
    let groups = try Self.filled()
    try groups.setSuccessor(1, of: 0)
    try groups.setSuccessor(0, of: 1)
    #expect([0, 1].contains(try groups.lastSuccessor(of: 0)))
  }
}
