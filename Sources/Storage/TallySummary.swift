public import Telemetry

/// What was counted beside the numbers, added up over a window: as many names as a page shows, the rest as "(other)".
public struct TallySummary: Sendable, Equatable {
  /// By kind, the greatest first and "(other)" last.
  public var counts: [TallyKind: [Count]]
  /// The greatest first and "(other)" last.
  public var clients: [Client]

  /// Names kept apart.
  public enum Limit {
    public static let reasons = 40
    public static let clients = 150
  }

  /// What names beyond the limits are called.
  public static let other = "(other)"

  public init(counts: [TallyKind: [Count]] = [:], clients: [Client] = []) {
    self.counts = counts
    self.clients = clients
  }

  /// How often something happened for one reason.
  public struct Count: Sendable, Equatable {
    public var reason: String
    public var count: Int
    /// The key path of the last one; empty when unknown.
    public var lastDetail: String
    public var lastDay: CalendarDay

    public init(reason: String, count: Int, lastDetail: String, lastDay: CalendarDay) {
      self.reason = reason
      self.count = count
      self.lastDetail = lastDetail
      self.lastDay = lastDay
    }
  }

  /// What came from one program for one release.
  public struct Client: Sendable, Equatable {
    public var client: String
    public var release: String
    public var counts: [TallyKind: Int]

    public init(client: String, release: String, counts: [TallyKind: Int] = [:]) {
      self.client = client
      self.release = release
      self.counts = counts
    }
  }

  /// Kinds that are counted by client.
  public static let clientKinds: [TallyKind] = [.accepted, .rejected, .limited, .duplicate, .late]

  /// Adds the next smaller count of a kind. Offer them from the greatest on.
  public mutating func add(_ next: Count, of kind: TallyKind) {
    var known = counts[kind] ?? []
    defer { counts[kind] = known }
    if let index = known.firstIndex(where: { $0.reason == next.reason }) ?? Self.overflow(known) {
      known[index].count = known[index].count.addingSaturated(next.count)
      known[index].lastDay = max(known[index].lastDay, next.lastDay)
      if known[index].lastDetail.isEmpty { known[index].lastDetail = next.lastDetail }
    } else {
      known.append(next)
      if known.count > Limit.reasons { known[known.count - 1].reason = Self.other }
    }
  }

  /// Where what is too much is added; nil while there is room.
  private static func overflow(_ known: [Count]) -> Int? { known.count > Limit.reasons ? Limit.reasons : nil }

  /// Adds the next smaller client. Offer them from the greatest on.
  public mutating func add(_ next: Client) {
    guard clients.count > Limit.clients else {
      clients.append(next)
      guard clients.count > Limit.clients else { return }
      clients[Limit.clients].client = Self.other
      clients[Limit.clients].release = Self.other
      return
    }
    clients[Limit.clients].counts.merge(next.counts) { $0.addingSaturated($1) }
  }
}

extension TallySummary {
  /// Adds up what a store that cannot do it itself has by day.
  public init(of tallies: [TallyDelta]) {
    self.init()
    for (kind, tallies) in Dictionary(grouping: tallies, by: \.kind) {
      let counts = Dictionary(grouping: tallies, by: \.reason).map { reason, tallies in
        let last = tallies.filter { !$0.detail.isEmpty }.max { ($0.day, $0.detail) < ($1.day, $1.detail) }
        return Count(
          reason: reason, count: tallies.reduce(0) { $0.addingSaturated($1.count) }, lastDetail: last?.detail ?? "",
          lastDay: tallies.map(\.day).max() ?? CalendarDay(number: 0))
      }
      for count in counts.sorted(by: { ($1.count, $0.reason) < ($0.count, $1.reason) }) { add(count, of: kind) }
    }
    var clients: [[String]: Client] = [:]
    for tally in tallies where Self.clientKinds.contains(tally.kind) {
      let fresh = Client(client: tally.client, release: tally.release)
      let known = clients[[tally.client, tally.release], default: fresh].counts[tally.kind] ?? 0
      clients[[tally.client, tally.release], default: fresh].counts[tally.kind] = known.addingSaturated(tally.count)
    }
    for client in clients.values.sorted(by: { ($1.weight, $0.client, $0.release) < ($0.weight, $1.client, $1.release) })
    {
      add(client)
    }
  }
}

extension TallySummary.Client {
  fileprivate var weight: Int {
    [TallyKind.accepted, .rejected, .limited, .duplicate].reduce(0) { $0.addingSaturated(counts[$1] ?? 0) }
  }
}

extension Int {
  /// The sum, or the largest or smallest number where it would be beyond: counts of a hostile client must not trap.
  package func addingSaturated(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other > 0 ? .max : .min) : sum
  }
}
