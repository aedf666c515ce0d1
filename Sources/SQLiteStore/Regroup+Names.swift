import Foundation
import GRDB
import Grouping
public import Storage
import Telemetry

/// What came of bringing groups up to date.
public struct Regrouping: Sendable, Equatable {
  /// Signatures that came to another group.
  public var moved = 0
  /// Signatures with places that could not be looked up: a symbolizer is missing, or failed. They are tried again.
  public var unanswered = 0
  /// Which groups became part of which others, as far as this round moved them.
  public var joins: [GroupJoin] = []
}

extension SQLiteStore {
  /// Works signatures out with the symbols there are.
  func resolve(_ symbols: any SymbolSource, _ book: inout GroupMergeLog) throws -> Regrouping {
    let generation = symbols.generation
    let own = try pool.read { try OwnBinaries.all(in: $0) }
    var done = Regrouping()
    while true {
      // Where there never were symbols, nothing has to be looked up.
      let portion = try pool.read { database in
        generation > 0
          ? try StoredSignature.behind(generation, Self.portion, in: database)
          : try StoredSignature.ofOlderRules(Self.portion, in: database)
      }
      if portion.isEmpty { return done }
      let answers = SymbolAnswers(of: portion.compactMap(\.stem), symbols)
      let made = portion.map { signature in
        signature.stem.map {
          ResolvedSignature(signature, $0.named(by: answers.names), answers, own: own[signature.app, default: []])
        }
      }
      let unanswered = made.count { $0?.isAnswered == false }
      done.unanswered += unanswered
      let noted = book
      let moved: Int
      (moved, book) = try pool.write { database in
        var (moved, book) = (0, noted)
        for (signature, resolved) in zip(portion, made)
        where try Self.save(resolved, of: signature, generation, &book, in: database) { moved += 1 }
        return (moved, book)
      }
      done.moved += moved
    }
  }

  /// Puts what could not be looked up behind, with what is new.
  func queueUnanswered() throws {
    let isThere = try pool.read { database in
      try Bool.fetchOne(
        database, sql: "SELECT EXISTS (SELECT 1 FROM signature WHERE generation = ?)",
        arguments: [StoredSignature.unanswered])
    }
    guard isThere == true else { return }
    try pool.write { database in
      try database.execute(
        sql: "UPDATE signature SET generation = -1 WHERE generation = ?", arguments: [StoredSignature.unanswered])
    }
  }

  /// Signatures worked out at once.
  private static let portion = 1_000

  /// Whether it came to another group.
  private static func save(
    _ resolved: ResolvedSignature?, of signature: StoredSignature, _ generation: Int, _ book: inout GroupMergeLog,
    in database: Database
  ) throws -> Bool {
    let table = GroupTable(database)
    let update = try database.cachedStatement(
      sql: "UPDATE signature SET member = ?, generation = ?, stem = coalesce(?, stem) WHERE id = ?")
    guard let resolved else {
      try update.execute(arguments: [signature.member, generation, nil, signature.id])
      return false
    }
    let home = try resolved.home(from: signature, table)
    if signature.isOld, resolved.fingerprint.isCut,
      try table.known(resolved.fingerprint.hash, app: signature.app) == home
    {
      try table.markCut(home)
    }
    if home != signature.member {
      try book.note(signature.id, of: signature.app, from: signature.member, to: home, in: database)
    }
    try update.execute(arguments: [
      home, resolved.isAnswered ? generation : StoredSignature.unanswered,
      resolved.isNews ? Data(resolved.stem.encoded()) : nil, signature.id,
    ])
    guard home != signature.member else { return false }
    try table.retire(signature.member, into: home)
    return true
  }
}

/// What symbols say of every frame of some stems, asked once per binary.
private struct SymbolAnswers {
  private(set) var names: [String: [UInt64: [CallTree.Symbol]]] = [:]
  /// Places that could not be looked up, by binary.
  private(set) var unanswered: [String: Set<UInt64>] = [:]

  init(of stems: [NormalizedStack], _ symbols: any SymbolSource) {
    var wanted: [String: Set<UInt64>] = [:]
    for frame in stems.flatMap(\.frames) {
      if let offset = frame.callOffset, !frame.uuid.isEmpty { wanted[frame.uuid, default: []].insert(offset) }
    }
    for (uuid, places) in wanted where symbols.hasSymbols(uuid: uuid) {
      let offsets = places.sorted()
      if let lookup = symbols as? any SymbolLookup {
        (names[uuid], unanswered[uuid]) = lookup.lookUp(uuid: uuid, offsets: offsets)
      } else {
        names[uuid] = symbols.symbols(uuid: uuid, offsets: offsets)
      }
    }
  }
}

/// A signature with the names there are.
private struct ResolvedSignature {
  let stem: NormalizedStack
  let fingerprint: Fingerprint
  /// It has names that it did not have.
  let isNews: Bool
  /// All its frames without names were looked up, as far as there are symbols.
  let isAnswered: Bool

  /// Names of the app's binaries that are called like the system's.
  private let own: Set<String>

  init(_ old: StoredSignature, _ stem: NormalizedStack, _ answers: SymbolAnswers, own: Set<String>) {
    self.stem = stem
    self.own = own
    fingerprint = Grouper().fingerprint(of: stem, own: own)
    isNews = stem != old.stem
    isAnswered = !stem.frames.contains { frame in
      guard frame.names.isEmpty, let offset = frame.callOffset else { return false }
      return answers.unanswered[frame.uuid]?.contains(offset) == true
    }
  }

  /// The group it belongs to. A group with names is never left for one without (names may have been found before they were
  /// kept with signatures), unless code turned out to be the app's own that was taken for the system's.
  func home(from old: StoredSignature, _ table: GroupTable) throws -> Int64 {
    let isTaller = stem.ownFrames(own) > old.stem?.ownFrames() ?? 0
    if !fingerprint.isSymbolic, !isTaller, try table.isSymbolic(old.member) { return old.member }
    return try table.make(fingerprint, app: old.app)
  }
}

/// A signature that was worked out with other symbols than there are now.
struct StoredSignature {
  /// The generation of a signature with places that could not be looked up. One that is new has -1.
  static let unanswered = -2
  /// The generation of a signature that was grouped by rules which since then tell more apart.
  static let old = -3

  let id: Int64
  let app: AppID
  let member: Int64
  let stem: NormalizedStack?
  /// It was grouped by older rules.
  let isOld: Bool

  static func behind(_ generation: Int, _ most: Int, in database: Database) throws -> [Self] {
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT id, app, member, exception, stem, generation FROM signature WHERE generation = :old
        UNION ALL SELECT id, app, member, exception, stem, generation FROM signature WHERE generation >= -1 AND generation < :now
        UNION ALL SELECT id, app, member, exception, stem, generation FROM signature WHERE generation > :now LIMIT :most
        """, arguments: ["now": generation, "old": old, "most": most])
    return try rows.map { try Self($0) }
  }

  static func ofOlderRules(_ most: Int, in database: Database) throws -> [Self] {
    try Row.fetchAll(
      database, sql: "SELECT id, app, member, exception, stem, generation FROM signature WHERE generation = ? LIMIT ?",
      arguments: [old, most]
    ).map { try Self($0) }
  }

  private init(_ row: Row) throws {
    id = try row.value(0)
    app = try row.value(1)
    member = try row.value(2)
    stem = NormalizedStack(encoded: [UInt8](try row.value(4, as: Data.self)), title: try row.value(3))
    isOld = try row.value(5, as: Int.self) == Self.old
  }
}
