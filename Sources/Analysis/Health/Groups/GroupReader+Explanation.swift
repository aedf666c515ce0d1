public import Core
import Ingest
public import Storage

/// Everything about a group that explains it to a person or an agent.
public struct GroupExplanation: Sendable, Equatable {
  public var detail: GroupDetail
  /// The other groups with similar code, most similar first.
  public var similar: [SimilarGroup] = []
  /// The number of other groups with which it was compared.
  public var compared = 0
  /// The newest version before the one that introduced the group; nil if there is none.
  public var versionBefore: String?
}

/// A group whose code resembles that of another group.
public struct SimilarGroup: Sendable, Equatable {
  public var group: GroupSummary
  /// The number of the app's functions that both have.
  public var shared: Int
  /// The share of the app's functions of either group that both have, 0 to 1.
  ///
  /// Source: P. Jaccard, "The distribution of the flora in the alpine zone", New Phytologist 11 (1912)
  public var similarity: Double
}

extension GroupReader {
  /// The number of groups with which a group is compared: those that were seen last.
  private static let mostCompared = 50
  /// The days in which they were seen, back from the end of the window.
  private static let comparedDays = 400
  /// The number of similar groups in an explanation.
  private static let mostSimilar = 8
  /// The least similarity. Below it, groups share little more than the app's entry.
  private static let leastSimilarity = 0.2

  /// One group with the groups that resemble it; nil if no group has this id.
  public func explanation(
    _ app: App, named name: String, _ query: ReportQuery = .init(), now: Timestamp
  ) throws -> GroupExplanation? {
    guard let detail = try group(app, named: name, query, now: now) else { return nil }
    var explanation = GroupExplanation(detail: detail)
    let scope = try health.scope(of: app, ReportQuery(), now: now)
    if let introduced = detail.group.introduced.map({ Release(title: $0).version }) {
      explanation.versionBefore = scope.inventory.releases.map(\.release.version)
        .filter { !$0.isEmpty && VersionOrder.precedes($0, introduced) }.max(by: VersionOrder.precedes)
    }
    let functions = try ownFunctions(of: app, group: detail.group.id)
    guard !functions.isEmpty else { return explanation }
    let days = ReportQuery(
      from: detail.window.to - (Self.comparedDays - 1), to: detail.window.to, environment: detail.slice.environment)
    let others = try groups(app, days, now: now).groups.filter { $0.id != detail.group.id }
      .sorted { ($0.lastSeen, $0.diagnostics, $1.id) > ($1.lastSeen, $1.diagnostics, $0.id) }
      .prefix(Self.mostCompared)
    for other in others {
      let found = try ownFunctions(of: app, group: other.id)
      guard !found.isEmpty else { continue }
      explanation.compared += 1
      let shared = found.intersection(functions).count
      let similarity = Double(shared) / Double(found.union(functions).count)
      guard similarity >= Self.leastSimilarity else { continue }
      explanation.similar.append(SimilarGroup(group: other, shared: shared, similarity: similarity))
    }
    explanation.similar.sort { ($0.similarity, $0.group.diagnostics) > ($1.similarity, $1.group.diagnostics) }
    explanation.similar = Array(explanation.similar.prefix(Self.mostSimilar))
    return explanation
  }

  /// The app's named functions in the newest typical sample: in the thread that crashed or hung. The app's entry is left
  /// out, because every main thread has it.
  private func ownFunctions(of app: App, group id: String) throws -> Set<CallNames.Call> {
    guard let hash = Fingerprint.hash(named: id), let group = try store.group(of: app.id, fingerprint: hash) else {
      return []
    }
    let samples = try store.samples(of: app.id, group: group.id, newest: 1, typical: 1)
    guard let sample = samples.first(where: \.isTypical) ?? samples.first,
      let stored = try store.sample(of: app.id, identity: sample.diagnostic.identity),
      let tree = (try? calls(stored))?.attributedThread
    else { return [] }
    let names = CallNames(tree, symbols, own: Set(app.settings.ownBinaries))
    let own = tree.frames.indices.flatMap { names.calls(at: $0) }.filter { call in
      call.isOwn && call.isNamed && call.name != "main" && !call.name.hasSuffix("$main()")
    }
    // Functions move between lines from release to release.
    return Set(own.map { CallNames.Call(name: $0.name, binary: $0.binary, isOwn: true, source: "") })
  }
}

extension CallTree {
  /// The innermost frames of the first thread that crashed or hung, or else of the first thread, without the others.
  fileprivate var attributedThread: CallTree {
    guard let thread = threads.first(where: \.isAttributed) ?? threads.first else { return CallTree() }
    let range = thread.range.suffix(1_000)
    var tree = self
    tree.frames = frames[range].map { frame in
      var frame = frame
      frame.caller = range.contains(frame.caller) ? frame.caller - range.lowerBound : -1
      return frame
    }
    tree.threads = [Thread(range: 0..<range.count, isAttributed: thread.isAttributed)]
    return tree
  }
}
