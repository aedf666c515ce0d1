import Foundation
import GRDB
import Grouping
import Storage
import Synchronization
public import Telemetry

extension SQLiteStore {
  /// Brings groups up to date with the symbols there are: names tell causes better than offsets, so that groups of
  /// different builds become one. It works in small transactions, next to the digest, and does nothing where nothing changed.
  ///
  /// Names that were found once stay: symbols that go away change nothing. `retrying`: what could not be looked up before
  /// is tried again, and not only what is new.
  @discardableResult public func regroup(symbols: any SymbolSource, retrying: Bool = true) throws -> Regrouping {
    try examineOld()
    if retrying { try queueUnanswered() }
    var book = GroupMergeLog()
    var done = try resolve(symbols, &book)
    done.moved += try joinCutStacks(&book)
    let noted = book
    done.joins = try pool.read { try noted.joins(in: $0) }
    return done
  }

  // MARK: Diagnostics from before there were groups

  private func examineOld() throws {
    while true {
      let old = try pool.read { try OldDiagnostic.next(500, in: $0) }
      if old.isEmpty { return }
      let signed = try old.map { diagnostic in
        let calls = try samples?.sample(of: diagnostic.app, identity: diagnostic.identity)?.calls ?? []
        return SignedDiagnostic(diagnostic.kind, diagnostic.exception, calls: calls)
      }
      try samples?.sign(zip(old, signed).map { ($0.app, $0.identity, $1.hash) })
      try interner.withLock { interner in
        try pool.write { database in
          var ledger = GroupLedger(database, interner.limits)
          for (diagnostic, signed) in zip(old, signed) {
            let key = try interner.sliceKey(of: diagnostic.cell, in: database)
            let signature = try ledger.signature(of: signed, app: diagnostic.app)
            if let signature { ledger.note(signature, key, day: diagnostic.day) }
            ledger.note(signed.binaries, key)
            try database.cachedStatement(sql: "UPDATE diagnostic SET signature = ?, examined = 1 WHERE id = ?")
              .execute(arguments: [signature, diagnostic.id])
          }
          try ledger.save()
        }
      }
    }
  }

  // MARK: Stacks that were cut

  private func joinCutStacks(_ book: inout GroupMergeLog) throws -> Int {
    let apps = try pool.read { database in
      try AppID.fetchAll(
        database, sql: "SELECT DISTINCT app FROM diagnostic_group WHERE cut = 1 AND successor IS NULL")
    }
    var moved = 0
    for app in apps {
      let noted = book
      let (count, next) = try pool.write { database in
        var book = noted
        return (try TruncatedGroups(database, app: app).join(&book), book)
      }
      moved += count
      book = next
    }
    return moved
  }
}

/// A diagnostic that was stored without a look at its stacks.
private struct OldDiagnostic {
  let id: Int64
  let app: AppID
  let identity: UInt64
  let kind: DiagnosticKind
  let cell: Int64
  let day: CalendarDay
  let exception: ExceptionFacts

  static func next(_ most: Int, in database: Database) throws -> [Self] {
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT id, app, identity, kind, cell, day, type, code, signal, name, termination FROM diagnostic
        WHERE examined = 0 ORDER BY id LIMIT ?
        """, arguments: [most])
    return try rows.map { row in
      let code: Int64? = try row.value(7)
      return OldDiagnostic(
        id: try row.value(0), app: try row.value(1), identity: UInt64(bitPattern: try row.value(2)),
        kind: DiagnosticKind(rawValue: try row.value(3)) ?? .error,
        cell: try row.value(4), day: try row.day(5),
        exception: ExceptionFacts(
          type: try row.value(6), code: code.map { UInt64(bitPattern: $0) }, signal: try row.value(8),
          name: try row.value(9), termination: try row.value(10)))
    }
  }
}

/// The groups of an app, to find homes for those of stacks that were cut.
private struct TruncatedGroups {
  private let database: Database
  private let app: AppID

  init(_ database: Database, app: AppID) {
    self.database = database
    self.app = app
  }

  /// Returns how many signatures moved.
  func join(_ book: inout GroupMergeLog) throws -> Int {
    let table = GroupTable(database)
    var moved = 0
    for (cut, home) in TruncatedStacks.homes(of: try fingerprints()) {
      guard let from = try table.known(cut, app: app), let to = try table.known(home, app: app) else { continue }
      try book.noteAll(of: from, app: app, to: to, in: database)
      try database.execute(sql: "UPDATE signature SET member = ? WHERE member = ?", arguments: [to, from])
      moved += database.changesCount
      try table.retire(from, into: to)
    }
    return moved
  }

  private func fingerprints() throws -> [(fingerprint: Fingerprint, count: Int)] {
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT fingerprint, version, cut, prefixes,
          (SELECT sum(count) FROM signature_life JOIN signature ON signature.id = signature_life.signature
            WHERE signature.member = diagnostic_group.id)
        FROM diagnostic_group WHERE app = ? AND successor IS NULL AND version = ?
        """, arguments: [app, Fingerprint.version])
    var found: [(fingerprint: Fingerprint, count: Int)] = []
    while let row = try rows.next() {
      let prefixes = [UInt8](try row.value(3, as: Data.self))
      let fingerprint = Fingerprint(
        storedHash: UInt64(bitPattern: try row.value(0)), prefixes: prefixes, isCut: try row.value(2))
      found.append((fingerprint, row.count(4)))
    }
    return found
  }
}

extension Fingerprint {
  /// As much of a stored one as tells which cut stacks belong to it.
  fileprivate init(storedHash hash: UInt64, prefixes: [UInt8], isCut: Bool) {
    let hashes = stride(from: 0, to: prefixes.count - prefixes.count % 8, by: 8).map { start in
      prefixes[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
    self.init(hash: hash, prefixes: hashes, isCut: isCut)
  }
}
