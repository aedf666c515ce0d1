import Core
import Statistics

/// The totals of an app's rows by environment and metric, with which two stores are compared.
public struct StoreTotals: Sendable, Equatable {
  /// A metric in an environment.
  public struct Name: Hashable, Sendable, Comparable {
    public let environment: String
    public let metric: String

    public static func < (left: Name, right: Name) -> Bool {
      (left.environment, left.metric) < (right.environment, right.metric)
    }
  }

  /// For each name the number of values, payloads or sessions, and the sum of the measured amounts.
  public private(set) var sums: [Name: [Int64]] = [:]

  /// Computes the totals of all data of an app in a store.
  public init(of app: AppID, in store: some Store) throws {
    let inventory = try store.inventory(of: app)
    for (environment, lastDay) in inventory.environments {
      let first = inventory.releases.filter { $0.environment == environment }.map(\.firstDay).min() ?? lastDay
      var start = first
      while start <= lastDay {
        let end = min(start + 27, lastDay)
        let query = RowQuery(
          app: app, slice: Slice(environment: environment), window: Window(from: start, to: end), bins: .days)
        switch try KeptWindow({ try store.rows(query) }) {
        case .whole(let rows):
          for row in rows { add(row, environment) }
          start = end + 1
        // Older rows are being deleted.
        case .from(let oldest): start = oldest
        }
      }
    }
  }

  private mutating func add(_ row: MetricRow, _ environment: String) {
    let name = Name(environment: environment, metric: row.metric.name)
    let numbers: [Int64] =
      switch row.aggregate {
      case .distribution(let histogram): [Int64(histogram.count), histogram.sum]
      case .counter(let sum): [sum.payloads, sum.steps]
      case .pair(let pair): [Int64(pair.clusters), pair.y]
      case .sessions(let tally): [tally.total, tally[.crashed]]
      case .users(let tally): [Int64(tally.all.estimate), Int64(tally.crashed.estimate)]
      }
    sums[name] = zip(sums[name] ?? [0, 0], numbers).map { $0.saturatingAdd($1) }
  }

  /// The names whose totals differ.
  func differences(from other: StoreTotals) -> [Name] {
    Set(sums.keys).union(other.sums.keys).filter { sums[$0] != other.sums[$0] }.sorted()
  }
}
