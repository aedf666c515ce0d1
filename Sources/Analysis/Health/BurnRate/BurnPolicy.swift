/// A long and a short window, and the burn rate that both must exceed to raise an alert.
///
/// Windows and factors are those of Google's "The Site Reliability Workbook" (2018), chapter 5, "Alerting on SLOs",
/// "Multiwindow, Multi-Burn-Rate Alerts": 14.4 uses up 2 % of a budget for 30 days in an hour, 6 uses 5 % in six hours,
/// 1 uses 10 % in three days. The pair of one day (3 uses 10 %) is customary, as in Prometheus' alerts for Kubernetes.
/// For a budget of 28 days, each share is larger by a fourteenth.
public struct BurnPolicy: Sendable, Hashable {
  /// The length of the long window, in minutes.
  public var long: Int
  /// The length of the short window, in minutes: a twelfth of the long one. It shows whether crashes continue.
  public var short: Int
  public var factor: Double

  /// All pairs of windows, the shortest first.
  public static let all = [
    BurnPolicy(long: 60, short: 5, factor: 14.4), BurnPolicy(long: 360, short: 30, factor: 6),
    BurnPolicy(long: 1440, short: 120, factor: 3), BurnPolicy(long: 4320, short: 360, factor: 1),
  ]

  /// The least number of crashes in the long window, so that a single crash at night raises no alert.
  static let fewestCrashes = 10
  static let fewestUsers = 3

  /// The number of days that an error budget covers.
  static let budgetDays = 28

  /// A length of time as text: `5m`, `6h`, `3d`.
  public static func name(minutes: Int) -> String {
    if minutes % 1440 == 0 { return "\(minutes / 1440)d" }
    return minutes % 60 == 0 ? "\(minutes / 60)h" : "\(minutes)m"
  }
}
