/// Every metric Plumb knows by name. It drives decoding, budgets, pages, the API and `docs/metrics.md`.
///
/// Clients may send names outside the catalogue: they are stored and shown, without a default budget.
public enum Catalogue {
  /// All metrics, in the order pages list them.
  public static let metrics: [Metric] =
    stability + launches + responsiveness + rendering + memory + network + resources + exits + diagnostics

  /// The record number under which payloads themselves are counted. Not a metric that people see.
  public static let payloads: UInt16 = 8
  /// The record numbers of sessions and users, whose rows hold tallies.
  public static let sessions: UInt16 = 6
  public static let users: UInt16 = 7

  /// The metric called `name`; nil when the catalogue has none.
  public static func metric(named name: String) -> Metric? { byName[name] }

  /// The metric whose record number is `number`; nil when the catalogue has none.
  public static func metric(number: UInt16) -> Metric? {
    Int(number) < byNumber.count ? byNumber[Int(number)] : nil
  }

  /// What the rows of metric `number` hold; nil when the catalogue has none. The digest asks eighty times per payload,
  /// so this copies no strings.
  public static func kind(number: UInt16) -> Metric.Kind? {
    Int(number) < kinds.count ? kinds[Int(number)] : nil
  }

  private static let kinds = byNumber.map { $0?.kind }

  private static let byName = Dictionary(metrics.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

  /// Indexed by record number: the digest looks up eighty of these per payload.
  private static let byNumber: [Metric?] = {
    var table = [Metric?](repeating: nil, count: Int(metrics.map(\.number).max() ?? 0) + 1)
    for metric in metrics { table[Int(metric.number)] = metric }
    return table
  }()
}
