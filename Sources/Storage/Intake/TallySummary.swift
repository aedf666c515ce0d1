public import Core

/// Tallies added up over a window, with at most as many names as a page shows; all others are added up as "(other)".
public struct TallySummary: Sendable, Equatable {
  /// The counts of each kind, largest first and "(other)" last.
  public var counts: [TallyKind: [Count]]
  /// The clients, largest first and "(other)" last.
  public var clients: [Client]

  /// The maximum number of names that are listed individually.
  enum Limit {
    static let reasons = 40
    static let clients = 150
  }

  /// The name for the sum of all others.
  public static let other = "(other)"

  public init(counts: [TallyKind: [Count]] = [:], clients: [Client] = []) {
    self.counts = counts
    self.clients = clients
  }

  /// The number of events of one kind for one reason.
  public struct Count: Sendable, Equatable {
    public var reason: String
    public var count: Int
    /// The message or key path of the last occurrence; empty when unknown.
    public var lastDetail: String
    public var lastDay: CalendarDay

    public init(reason: String, count: Int, lastDetail: String, lastDay: CalendarDay) {
      self.reason = reason
      self.count = count
      self.lastDetail = lastDetail
      self.lastDay = lastDay
    }
  }

  /// The counts of one client for one release.
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

  /// The kinds that are counted by client.
  public static let clientKinds: [TallyKind] = [.accepted, .rejected, .limited, .duplicate, .late]

  /// Adds a count. Counts must be added in descending order.
  public mutating func add(_ next: Count, of kind: TallyKind) {
    var known = counts[kind] ?? []
    defer { counts[kind] = known }
    if let index = known.firstIndex(where: { $0.reason == next.reason }) ?? Self.overflow(known) {
      known[index].count = known[index].count.saturatingAdd(next.count)
      known[index].lastDay = max(known[index].lastDay, next.lastDay)
      if known[index].lastDetail.isEmpty { known[index].lastDetail = next.lastDetail }
    } else {
      known.append(next)
      if known.count > Limit.reasons { known[known.count - 1].reason = Self.other }
    }
  }

  /// The index of the "(other)" entry; nil while there is room for names.
  private static func overflow(_ known: [Count]) -> Int? { known.count > Limit.reasons ? Limit.reasons : nil }

  /// Adds a client. Clients must be added in descending order.
  public mutating func add(_ next: Client) {
    guard clients.count > Limit.clients else {
      clients.append(next)
      guard clients.count > Limit.clients else { return }
      clients[Limit.clients].client = Self.other
      clients[Limit.clients].release = Self.other
      return
    }
    clients[Limit.clients].counts.merge(next.counts) { $0.saturatingAdd($1) }
  }
}

extension TallySummary {
  /// Summarises daily tallies, for stores that cannot do it in a query.
  public init(of tallies: [IntakeTally]) {
    self.init()
    for (kind, tallies) in Dictionary(grouping: tallies, by: \.kind) {
      let counts = Dictionary(grouping: tallies, by: \.reason).map { reason, tallies in
        let last = tallies.filter { !$0.detail.isEmpty }.max { ($0.day, $0.detail) < ($1.day, $1.detail) }
        return Count(
          reason: reason, count: tallies.reduce(0) { $0.saturatingAdd($1.count) }, lastDetail: last?.detail ?? "",
          lastDay: tallies.map(\.day).max() ?? CalendarDay(number: 0))
      }
      for count in counts.sorted(by: { ($1.count, $0.reason) < ($0.count, $1.reason) }) { add(count, of: kind) }
    }
    var clients: [[String]: Client] = [:]
    for tally in tallies where Self.clientKinds.contains(tally.kind) {
      let fresh = Client(client: tally.client, release: tally.release)
      let known = clients[[tally.client, tally.release], default: fresh].counts[tally.kind] ?? 0
      clients[[tally.client, tally.release], default: fresh].counts[tally.kind] = known.saturatingAdd(tally.count)
    }
    for client in clients.values.sorted(by: { ($1.weight, $0.client, $0.release) < ($0.weight, $1.client, $1.release) })
    {
      add(client)
    }
  }
}

extension TallySummary.Client {
  fileprivate var weight: Int {
    [TallyKind.accepted, .rejected, .limited, .duplicate].reduce(0) { $0.saturatingAdd(counts[$1] ?? 0) }
  }
}
