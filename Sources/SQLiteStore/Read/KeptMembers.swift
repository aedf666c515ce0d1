import GRDB
import Storage
import Synchronization

/// Which slices of a query's dimension are in use in its window, from one snapshot to the next. A page after a flush
/// looks only for rows of the slices that the flush changed.
final class KeptMembers: Sendable {
  private struct Answer {
    let window: Window
    let version: Int64
    let used: Set<Int64>
  }

  private let answers = Mutex<[SnapshotRows.Name: Answer]>([:])
  /// The maximum number of slices in all answers. If it is reached, all are forgotten.
  private let most: Int

  init(most: Int = 50_000) { self.most = most }

  /// The members of a query's dimension that have rows of sessions or payloads.
  func members(of query: RowQuery, by queries: MetricRowQueries, after changes: ChangedSlices) throws -> Set<String> {
    try queries.checkAge(of: query)
    let versions = try RowVersions(queries.database).state()
    let slices = try queries.slices(of: query)
    let name = SnapshotRows.Name(query)
    let known = versions.flatMap { versions in
      answers.withLock { $0[name] }.flatMap { known in
        known.window == query.window && versions.allDays <= known.version && known.version <= versions.newest
          ? known : nil
      }
    }
    var unchanged: Set<Int64> = []
    if let known, let versions {
      if known.version == versions.newest {
        unchanged = Set(slices.lazy.map(\.id))
      } else if let changed = changes.changed(slices.lazy.map(\.id), after: known.version, through: versions.newest) {
        unchanged = Set(slices.lazy.map(\.id)).subtracting(changed)
      }
    }
    var used = try queries.used(slices.filter { !unchanged.contains($0.id) }, by: query)
    if let known { used.formUnion(known.used.intersection(unchanged)) }
    // A name without slices may be any text of a request.
    if let versions, !slices.isEmpty {
      keep(Answer(window: query.window, version: versions.newest, used: used), name)
    }
    return Set(slices.lazy.filter { used.contains($0.id) }.map(\.name))
  }

  private func keep(_ answer: Answer, _ name: SnapshotRows.Name) {
    answers.withLock { answers in
      // What a later snapshot has read stays.
      if let known = answers[name], known.version > answer.version { return }
      answers[name] = answer
      // A name takes about as much memory as ten slices.
      if answers.values.reduce(0, { $0 + 10 + $1.used.count }) > most { answers = [:] }
    }
  }
}
