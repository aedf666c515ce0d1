/// The rate at which crashes use up the error budget of crash-free sessions.
public struct BurnReport: Sendable, Equatable {
  /// The share of sessions that must not crash, 0 to 1; nil without such a budget.
  public var target: Double?
  /// The share of the error budget that is left of the last 28 days: 1 is all of it, 0 none, below 0 overspent. Nil
  /// without a budget.
  public var budgetLeft: Double?
  /// The burn rates of each pair of windows, the shortest first.
  public var windows: [BurnWindow]

  public init(
    target: Double? = nil, budgetLeft: Double? = nil, windows: [BurnWindow] = BurnPolicy.all.map { .init($0) }
  ) {
    self.target = target
    self.budgetLeft = budgetLeft
    self.windows = windows
  }
}

/// The burn rates of a long window and of a short one that ends with it. A rate of 1 uses up the error budget in 28
/// days.
public struct BurnWindow: Sendable, Equatable {
  public var policy: BurnPolicy
  /// The burn rate of the long window; nil if no session arrived in it.
  public var longRate: Double?
  public var shortRate: Double?
  /// Crashed sessions of the long window. Nil if arrivals are not kept: for filters other than environment and release,
  /// and for windows in the past.
  public var crashed: Int?
  /// Distinct users of those crashed sessions; nil if no crashed session names its user.
  public var users: Int?
  /// Whether the rates of the long and the short window exceed the policy's factor, with enough crashes and users.
  public var fires: Bool
  /// Whether the alert is beyond chance: the lower 99.9 % bound of the long window's rate, with each user counted once,
  /// exceeds the factor, too.
  var isCertain = false
  /// Sessions whose first report arrived in the long window; nil in the same cases as `crashed`.
  var seen: Int?

  public init(
    _ policy: BurnPolicy, longRate: Double? = nil, shortRate: Double? = nil, crashed: Int? = nil, users: Int? = nil,
    fires: Bool = false
  ) {
    self.policy = policy
    self.longRate = longRate
    self.shortRate = shortRate
    self.crashed = crashed
    self.users = users
    self.fires = fires
  }
}
