public import Storage
public import Telemetry

/// What became of everything an app's clients sent: nothing is lost silently.
public struct DataQuality: Sendable, Equatable {
  public var app: String
  /// Days of receipt, by the app's clocks.
  public var window: Window
  public var digestedThrough: Int64
  public var lastReceived: Timestamp?
  /// Reports that count in the numbers.
  public var accepted: Int { total(.accepted) }
  /// Requests whose key was known and that did not become reports: rejected, refused, sent twice or empty.
  public var turnedAway: Int {
    [TallyKind.rejected, .limited, .duplicate, .empty].reduce(0) { $0.addingSaturated(total($1)) }
  }
  public var received: Int { accepted.addingSaturated(turnedAway) }
  /// Counts by reason, the greatest first.
  public var counts: [TallyKind: [Count]]
  /// The greatest first.
  public var clients: [ClientCounts]

  public init(
    app: String, window: Window, digestedThrough: Int64, lastReceived: Timestamp?, counts: [TallyKind: [Count]],
    clients: [ClientCounts]
  ) {
    self.app = app
    self.window = window
    self.digestedThrough = digestedThrough
    self.lastReceived = lastReceived
    self.counts = counts
    self.clients = clients
  }

  /// How often something happened for one reason.
  public struct Count: Sendable, Equatable {
    public var reason: String
    public var count: Int
    /// The key path of the last one, or what was wrong with it; empty when there is nothing to say.
    public var lastDetail: String
    public var lastDay: CalendarDay

    public init(reason: String, count: Int, lastDetail: String, lastDay: CalendarDay) {
      self.reason = reason
      self.count = count
      self.lastDetail = lastDetail
      self.lastDay = lastDay
    }
  }

  /// What one program sent for one release.
  public struct ClientCounts: Sendable, Equatable {
    /// As it calls itself; empty when it does not.
    public var client: String
    /// Empty for what was turned away before its release was known.
    public var release: String
    public var accepted = 0
    public var rejected = 0
    public var refused = 0
    public var duplicates = 0
    public var late = 0

    public init(
      client: String, release: String, accepted: Int = 0, rejected: Int = 0, refused: Int = 0, duplicates: Int = 0,
      late: Int = 0
    ) {
      self.client = client
      self.release = release
      self.accepted = accepted
      self.rejected = rejected
      self.refused = refused
      self.duplicates = duplicates
      self.late = late
    }

  }

  /// Everything of one kind.
  public func total(_ kind: TallyKind) -> Int { (counts[kind] ?? []).reduce(0) { $0.addingSaturated($1.count) } }

  /// Those of one kind and reason.
  public func count(_ kind: TallyKind, _ reason: String) -> Int {
    (counts[kind] ?? []).first { $0.reason == reason }?.count ?? 0
  }
}
