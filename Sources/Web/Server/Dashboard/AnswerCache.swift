import Core
internal import Storage
import Synchronization

/// A cache of answers about apps that take long: summaries of the overview, the judgement on a rollout, causes. Only
/// answers about changed apps are computed again.
///
/// An answer is current until data of its app are digested or its settings change, and at most until the current
/// interval of five minutes ends, because some numbers depend on the time in steps of five minutes. Answers that take
/// very long are still given for a while after data were digested, but not after a deletion.
final class AnswerCache: Sendable {
  private let entries = Mutex<[Key: Entry]>([:])

  private struct Key: Hashable {
    let app: AppID
    let question: [String]
  }

  private struct Entry {
    let app: App
    let version: AppVersions.Version
    let slot: Int64
    let read: Timestamp
    let answer: any Sendable
  }

  /// The maximum number of answers. If it is reached, all are removed.
  private static let most = 2_000

  /// The answer to a question about an app, from the cache or from `read`.
  ///
  /// - Parameters:
  ///   - versions: the versions before the data were read; nil if unknown, which prevents caching.
  ///   - staleFor: how many milliseconds an answer may be given after new data of the app were digested.
  ///   - expiry: is told when an answer from before that must no longer be given.
  func answer<Answer: Sendable>(
    to question: [String], about app: App, _ versions: AppVersions?, at now: Timestamp, staleFor: Int64 = 0,
    expiry: PageExpiry? = nil, _ read: () throws -> Answer
  ) throws -> Answer {
    guard let version = versions?[app.id] else { return try read() }
    let (key, slot) = (Key(app: app.id, question: question), now.milliseconds / PageCache.slot)
    if let known = entries.withLock({ $0[key] }), known.slot == slot, known.app == app,
      let answer = known.answer as? Answer
    {
      if known.version == version { return answer }
      let end = Timestamp(milliseconds: known.read.milliseconds + staleFor)
      if known.version.common == version.common, now >= known.read, now < end {
        expiry?.shorten(to: end)
        return answer
      }
    }
    let answer = try read()
    entries.withLock { entries in
      // Answers of an earlier interval are outdated.
      if entries.first.map({ $0.value.slot != slot }) ?? false { entries = entries.filter { $0.value.slot == slot } }
      if entries.count >= Self.most { entries = [:] }
      entries[key] = Entry(app: app, version: version, slot: slot, read: now, answer: answer)
    }
    return answer
  }
}

/// When a page must be rendered again although the data did not change, because it contains an answer from before the
/// last change.
final class PageExpiry: Sendable {
  private let end = Mutex<Timestamp?>(nil)

  /// Nil if the page contains no such answer.
  var time: Timestamp? { end.withLock { $0 } }

  func shorten(to time: Timestamp) { end.withLock { $0 = min($0 ?? time, time) } }
}

/// A cache of the number of open incidents of each app, which is read again only after the data changed.
final class OpenIncidents: Sendable {
  private let known = Mutex<(version: UInt64, counts: [String: Int])?>(nil)

  /// The number of open incidents of the app with a bundle identifier. `version`: the version of the data before they
  /// are read; nil if unknown.
  func count(of app: String, version: UInt64?, in store: any IncidentStore) throws -> Int {
    let kept = known.withLock { known in known.flatMap { $0.version == version ? $0.counts : nil } }
    if let kept { return kept[app] ?? 0 }
    let counts = try store.openIncidentCounts()
    if let version { known.withLock { $0 = (version, counts) } }
    return counts[app] ?? 0
  }
}
