import Core
import Foundation
import GRDB
import Ingest
import Storage

/// The table `stream_eviction`: for each app, the latest start of its evicted streams.
///
/// A device's clock may be ahead. A start counts as at most one day after the day of the last receipt, so that a single
/// stream with a start in the far future does not affect all later streams.
struct StreamEvictionTable {
  private let database: Database

  init(_ database: Database) { self.database = database }

  /// The latest plausible start of a stream that was received on a day.
  static func latestStart(receivedOn day: Int) -> Int64 { Int64(day + 2) * 86_400_000 }

  /// The latest start of an app's evicted streams; nil if none was evicted.
  func start(of app: AppID) throws -> Int64? {
    try Int64.fetchOne(
      database.cachedStatement(sql: "SELECT start FROM stream_eviction WHERE app = ?"), arguments: [app])
  }

  /// Records streams that are about to be deleted: `streams` selects their `start` and `received`.
  func note(oldest streams: String, _ arguments: StatementArguments, of app: AppID) throws {
    let latest = try Int64.fetchOne(
      database.cachedStatement(sql: "SELECT max(min(start, (received + 2) * 86400000)) FROM (\(streams))"),
      arguments: arguments)
    guard let latest else { return }
    try database.cachedStatement(
      sql: """
        INSERT INTO stream_eviction VALUES (?, ?) ON CONFLICT DO UPDATE SET start = max(start, excluded.start)
        """
    ).execute(arguments: [app, latest])
  }
}
