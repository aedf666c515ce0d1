import GRDB
import Storage

/// The SQL condition for the labels that a query selects.
struct LabelFilter {
  let condition: String
  let arguments: [Int64]
  let matchesNothing: Bool
  private let selection: Selection
  private let names: [Int64: String]

  /// The sum over all labels.
  static let total = LabelFilter(.sums, condition: "label = 0", names: [:])

  private enum Selection {
    case sums
    case all
    case named
  }

  private init(
    _ selection: Selection, condition: String, arguments: [Int64] = [], names: [Int64: String],
    matchesNothing: Bool = false
  ) {
    self.selection = selection
    self.condition = condition
    self.arguments = arguments
    self.names = names
    self.matchesNothing = matchesNothing
  }

  init(_ query: RowQuery, metric: Int64, in database: Database) throws {
    if let label = query.slice.label {
      // There are several ids for "(other)", the name of all retired labels.
      let ids = try Int64.fetchAll(
        database.cachedStatement(sql: "SELECT id FROM label WHERE app = ? AND metric = ? AND name = ?"),
        arguments: [query.app, metric, label])
      self.init(
        .named, condition: "label IN (\(ids.map { _ in "?" }.joined(separator: ", ")))", arguments: ids,
        names: Dictionary(ids.map { ($0, label) }, uniquingKeysWith: { first, _ in first }), matchesNothing: ids.isEmpty
      )
    } else if query.byLabel {
      let rows = try Row.fetchAll(
        database.cachedStatement(sql: "SELECT id, name FROM label WHERE app = ? AND metric = ?"),
        arguments: [query.app, metric])
      self.init(
        .all, condition: "label > 0",
        names: Dictionary(
          try rows.map { (try $0.value(0), try $0.value(1)) }, uniquingKeysWith: { first, _ in first }))
    } else {
      self = .total
    }
  }

  /// Whether the query selects a label; 0 stands for the sum over all. Equivalent to `condition`, for a series of a day
  /// pack.
  func matches(_ label: Int64) -> Bool {
    switch selection {
    case .sums: label == 0
    case .all: label > 0
    case .named: names[label] != nil
    }
  }

  func name(of id: Int64) -> String { names[id] ?? "" }
}
