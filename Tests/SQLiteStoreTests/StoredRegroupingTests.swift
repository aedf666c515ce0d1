import struct Foundation.Data
import GRDB
import LabelledCauses
import Synchronization
import Testing

@testable import Core
@testable import Ingest
@testable import SQLiteStore
@testable import Storage

/// Symbols behind a symbolizer that does not work until it is told to.
private final class FailingSymbols: SymbolLookup {
  private let symbols: MemorySymbols
  private let state = Mutex((works: false, questions: 0))

  init(_ symbols: MemorySymbols) { self.symbols = symbols }

  var works: Bool {
    get { state.withLock { $0.works } }
    set { state.withLock { $0.works = newValue } }
  }
  var questions: Int { state.withLock { $0.questions } }
  var generation: Int { symbols.generation }

  func hasSymbols(uuid: String) -> Bool { symbols.hasSymbols(uuid: uuid) }

  func symbols(uuid: String, offsets: [UInt64]) -> [UInt64: [CallTree.Symbol]] {
    lookUp(uuid: uuid, offsets: offsets).names
  }

  func lookUp(
    uuid: String, offsets: [UInt64]
  ) -> (names: [UInt64: [CallTree.Symbol]], unanswered: Set<UInt64>) {
    let works = state.withLock { state in
      state.questions += 1
      return state.works
    }
    return works ? (symbols.symbols(uuid: uuid, offsets: offsets), []) : ([:], Set(offsets))
  }
}

@Suite("Regrouping of stored diagnostics")
struct StoredRegroupingTests {
  let set = LabelledSet(causes: 20, variants: 20, seed: 3)

  @Test("with and without symbols, the store has the groups that the rules give all diagnostics together")
  func merged() throws {
    let scene = try Scene(samples: SampleLimits())
    try scene.apply(set)
    try scene.store.regroup(symbols: NoSymbols())
    let unnamed = try scene.counts()
    #expect(unnamed == Scene.expected(set, [:]))
    try scene.store.regroup(symbols: MemorySymbols(set.symbols))
    let named = try scene.counts()
    #expect(named == Scene.expected(set, set.symbols))
    #expect(named.count * 3 < unnamed.count && named.values.reduce(0, +) == set.samples.count)
    // Nothing changes where nothing changed.
    #expect(try scene.store.regroup(symbols: MemorySymbols(set.symbols)).moved == 0)
  }

  @Test("the name of a merged group leads to the other group, with the releases of both")
  func successors() throws {
    let scene = try Scene(samples: SampleLimits())
    try scene.apply(set)
    try scene.store.regroup(symbols: NoSymbols())
    let before = try scene.counts()
    try scene.store.regroup(symbols: MemorySymbols(set.symbols))
    let after = try scene.counts()
    for fingerprint in before.keys {
      let group = try #require(try scene.store.group(of: 1, fingerprint: fingerprint))
      let count = try #require(after[group.fingerprint])
      let lives = try scene.store.lifetimes(of: 1, group: group.id)
      #expect(lives.reduce(0) { $0 + $1.diagnostics } == count)
    }
    #expect(try scene.store.successors(of: 1).values.allSatisfy { after[$0] != nil })
    // Also when what is not in use has been deleted.
    let ends = try before.keys.map { try scene.store.group(of: 1, fingerprint: $0)?.fingerprint }
    #expect(ends.contains { $0.map { before[$0] == nil } ?? false })
    try scene.store.compact(now: Scene.today.startUTC)
    #expect(try before.keys.map { try scene.store.group(of: 1, fingerprint: $0)?.fingerprint } == ends)
    #expect(try scene.store.group(of: 1, fingerprint: 12) == nil)
    #expect(try scene.store.group(of: 2, fingerprint: before.keys.first ?? 0) == nil)
  }

  @Test("groups of older rules are computed again, and their names lead on")
  func olderRules() throws {
    let scene = try Scene(samples: SampleLimits())
    let sample = try #require(
      set.samples.first { $0.exception.signal == 6 && $0.exception.name == "NSInvalidArgumentException" && !$0.isCut })
    try scene.apply([Scene.report(sample, number: 0)])
    let now = try scene.counts()
    let old = NormalizedStack(sample.kind, .init(type: 10, signal: 6), sample.calls)
    let fingerprint = Grouper().fingerprint(of: old)
    #expect(now[fingerprint.hash] == nil)
    let file = try DatabaseQueue(path: scene.path("plumb.db"))
    try file.write { database in
      try database.execute(
        sql: "UPDATE signature SET generation = -3, stem = ?; UPDATE diagnostic_group SET fingerprint = ?, cut = 0",
        arguments: [Data(old.encoded()), Int64(bitPattern: fingerprint.hash)])
    }
    #expect(try scene.counts() == [fingerprint.hash: 1])
    let done = try scene.store.regroup(symbols: NoSymbols())
    #expect(done.merges.map(\.isEmptied) == [true])
    #expect(try scene.counts() == now)
    #expect(try scene.store.group(of: 1, fingerprint: fingerprint.hash)?.fingerprint == now.keys.first)
  }

  @Test("groups that lost their names in older versions get them back, and their names lead there")
  func lost() throws {
    let scene = try Scene(samples: SampleLimits())
    let whole = LabelledSet(causes: 10, variants: 12, seed: 5, cut: 0)
    try scene.apply(whole)
    try scene.store.regroup(symbols: MemorySymbols(generation: 1, whole.symbols))
    let named = try scene.counts()
    // As it was: signatures without names, in groups without names, to which those with names lead.
    let file = try DatabaseQueue(path: scene.path("plumb.db"))
    try file.write { database in
      try database.execute(
        sql: """
          UPDATE signature SET generation = 2, member = (SELECT min(id) FROM diagnostic_group WHERE symbolic = 0);
          UPDATE diagnostic_group SET successor = (SELECT min(id) FROM diagnostic_group WHERE symbolic = 0);
          UPDATE diagnostic_group SET successor = NULL WHERE id = successor
          """)
    }
    try scene.store.regroup(symbols: MemorySymbols(generation: 3, whole.symbols))
    #expect(try scene.counts() == named)
    for fingerprint in named.keys {
      #expect(try scene.store.group(of: 1, fingerprint: fingerprint)?.fingerprint == fingerprint)
    }
    try scene.expectEndsWithSignatures()
  }

  @Test("failed lookups are repeated, and places without names are not looked up again")
  func unanswered() throws {
    let scene = try Scene(samples: SampleLimits())
    try scene.apply(set)
    let failing = FailingSymbols(MemorySymbols(generation: 1, set.symbols))
    let first = try scene.store.regroup(symbols: failing)
    #expect(first.unanswered > 0)
    let asked = failing.questions
    // What is new is no reason to ask again for what is old.
    #expect(try scene.store.regroup(symbols: failing, retrying: false).unanswered == 0 && failing.questions == asked)
    failing.works = true
    #expect(try scene.store.regroup(symbols: failing).unanswered == 0)
    #expect(try scene.counts() == Scene.expected(set, set.symbols))
    let done = failing.questions
    try scene.store.regroup(symbols: failing)
    #expect(failing.questions == done)
  }

  @Test("diagnostics from before groups existed get their groups from the stored data")
  func old() throws {
    let scene = try Scene(samples: SampleLimits(newest: 100, typical: 0))
    try scene.apply(set)
    try scene.store.regroup(symbols: MemorySymbols(set.symbols))
    let known = try scene.counts()
    let file = try DatabaseQueue(path: scene.path("plumb.db"))
    try file.write { database in
      try database.execute(
        sql: """
          UPDATE diagnostic SET signature = NULL, examined = 0; DELETE FROM signature; DELETE FROM signature_life;
          DELETE FROM diagnostic_group; DELETE FROM image
          """)
    }
    #expect(try scene.counts().isEmpty)
    try scene.store.regroup(symbols: MemorySymbols(set.symbols))
    #expect(try scene.counts() == known)
    #expect(try !scene.store.images(of: 1).isEmpty)
  }
}
