/// A pair of windows and the burn rate at which both together mean trouble.
///
/// Windows and factors are those of Google's "The Site Reliability Workbook" (2018), chapter 5, "Alerting on SLOs",
/// "Multiwindow, Multi-Burn-Rate Alerts": 14.4 uses up 2 % of a 30 days' budget in an hour, 6 uses 5 % in six hours, 1
/// uses 10 % in three days. The pair of a day (3 uses 10 %) is the customary one between, as in Prometheus' alerts for
/// Kubernetes. Of a budget for 28 days each uses a fourteenth more.
public struct BurnPolicy: Sendable, Hashable {
  /// Length in minutes.
  public var long: Int
  /// Length in minutes, a twelfth of the long one: whether it still burns.
  public var short: Int
  public var factor: Double

  /// The shortest first.
  public static let all = [
    BurnPolicy(long: 60, short: 5, factor: 14.4), BurnPolicy(long: 360, short: 30, factor: 6),
    BurnPolicy(long: 1440, short: 120, factor: 3), BurnPolicy(long: 4320, short: 360, factor: 1),
  ]

  /// The least that a long window must hold, so that a single crash at night sends no alert.
  static let fewestCrashes = 10
  static let fewestUsers = 3

  /// The days an error budget is for.
  static let budgetDays = 28

  /// `5m`, `6h`, `3d`
  public static func name(minutes: Int) -> String {
    if minutes % 1440 == 0 { return "\(minutes / 1440)d" }
    return minutes % 60 == 0 ? "\(minutes / 60)h" : "\(minutes)m"
  }
}
