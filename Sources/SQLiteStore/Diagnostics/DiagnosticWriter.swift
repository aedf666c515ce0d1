import Core
import Foundation
import GRDB
import Ingest
import Storage

/// Inserts diagnostics. A diagnostic with the same identity as one that arrived within the preceding
/// seven days is only counted as repeated.
struct DiagnosticWriter {
  private let database: Database
  private var signatures: SignatureWriter
  private var repeated: [RepeatedDay: Int] = [:]
  /// Whether the binaries of diagnostics are counted.
  private let countsBinaries: Bool

  private struct RepeatedDay: Hashable {
    let app: AppID
    let day: Int
    let kind: DiagnosticKind
  }

  /// The time within which the same diagnostic counts once, in milliseconds.
  static let memory: Int64 = 7 * 86_400_000

  init(_ database: Database, _ limits: StoreLimits, countsBinaries: Bool = true) {
    self.database = database
    self.countsBinaries = countsBinaries
    signatures = SignatureWriter(database, limits)
  }

  /// Admits new signatures of the batch. `stacks`: the app and signature hash of each diagnostic.
  mutating func prepare(_ stacks: [(app: AppID, hash: UInt64)], _ waiting: inout WaitingStacks, today: Int) throws {
    try signatures.prepare(stacks, &waiting, today: today)
  }

  /// Inserts a diagnostic of a cell. Returns false if it is a repetition, which was counted.
  mutating func add(
    _ record: DiagnosticRecord, _ signature: DiagnosticSignature, _ key: SliceKey, cell: Int64
  ) throws -> Bool {
    if try isKnown(record) {
      let day = RepeatedDay(app: record.key.app, day: record.received.day().number, kind: record.kind)
      repeated[day, default: 0] += 1
      return false
    }
    let id = try signatures.id(of: signature, app: record.key.app)
    if let id { signatures.note(id, key, day: record.bin.day) }
    if countsBinaries { signatures.noteBinaries(of: signature, key) }
    try write(record, cell, id, signature.hang)
    return true
  }

  func save() throws { try signatures.save() }

  var repeatedTallies: [IntakeTally] {
    repeated.map { key, count in
      IntakeTally(
        app: key.app, day: CalendarDay(number: key.day), kind: .repeatedDiagnostic, reason: key.kind.name, detail: "",
        count: count)
    }
  }

  private func isKnown(_ record: DiagnosticRecord) throws -> Bool {
    let statement = try database.cachedStatement(
      sql: "SELECT 1 FROM diagnostic WHERE app = ? AND identity = ? AND received >= ? LIMIT 1")
    return try Int.fetchOne(
      statement,
      arguments: [
        record.key.app, Int64(bitPattern: record.identity), record.received.milliseconds - Self.memory,
      ]) != nil
  }

  private func write(_ record: DiagnosticRecord, _ cell: Int64, _ signature: Int64?, _ hang: HangRule?) throws {
    let statement = try database.cachedStatement(
      sql: """
        INSERT INTO diagnostic (app, identity, kind, cell, source, day, time, received, quantity, session, user, type,
          code, signal, name, termination, reason, signature, hang_rule, examined)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)
        """)
    let exception = record.exception
    let origin: StatementArguments = [
      record.key.app, Int64(bitPattern: record.identity), Int(record.kind.rawValue), cell,
      Int(record.key.source.rawValue), record.bin.day.number, record.time?.milliseconds, record.received.milliseconds,
    ]
    try statement.execute(
      arguments: origin + [
        record.quantity, record.session.map { Int64(bitPattern: $0) }, record.user.map { Int64(bitPattern: $0) },
        exception.type, exception.code.map { Int64(bitPattern: $0) }, exception.signal, exception.name,
        exception.termination, exception.reason, signature, hang.map { Int($0.rawValue) },
      ])
  }
}
