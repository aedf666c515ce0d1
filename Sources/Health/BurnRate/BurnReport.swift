/// How fast crashes use up the error budget of crash-free sessions.
public struct BurnReport: Sendable, Equatable {
  /// The share of sessions that must not crash, 0 to 1; nil without such a budget.
  public var target: Double?
  /// What the last 28 days left of the error budget: 1 is all of it, 0 none, less than 0 overspent.
  public var budgetLeft: Double?
  /// One per pair of windows, the shortest first.
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
  /// Nil when no session arrived.
  public var longRate: Double?
  public var shortRate: Double?
  /// Sessions of the long window that turned out to have crashed; nil where arrivals are not kept: filters beside
  /// environment and release, windows in the past.
  public var crashed: Int?
  /// Their known users; nil when no crashed session names its user.
  public var users: Int?
  /// Both rates are beyond the factor, and so many crashes of so many users are no accident.
  public var fires: Bool
  /// It fires, and chance does not explain it: the lower 99.9 % bound of the long window's rate, each user counted once,
  /// lies beyond the factor, too.
  public var isCertain = false
  /// Sessions first heard of in the long window; nil as `crashed`.
  public var seen: Int?

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
