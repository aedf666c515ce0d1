import Core
import Statistics
import Storage

/// One pass over the table `facts` for several row queries of the same kind of rows. A pass takes a server at least 10
/// ms, however few rows it finds, so a page's queries share them.
struct FactScan {
  private let queries: [FactQuery]
  private let table: String

  /// The passes that answer all queries: few, because each takes some time.
  static func passes(of queries: [FactQuery], table: String) -> [FactScan] {
    var passes: [FactScan] = []
    for alike in Dictionary(grouping: queries, by: { $0.place + [$0.labels] }).values {
      var (part, names): ([FactQuery], Int) = ([], 0)
      for query in alike {
        let own = (query.query.metrics ?? []).reduce(0) { $0 + $1.utf8.count }
        if part.count == most.queries || !part.isEmpty && names + own > most.names {
          passes.append(FactScan(queries: part, table: table))
          (part, names) = ([], 0)
        }
        part.append(query)
        names += own
      }
      passes.append(FactScan(queries: part, table: table))
    }
    return passes.sorted { $0.queries[0].number < $1.queries[0].number }
  }

  /// The most queries of a pass, and the most bytes in their names of metrics. A server limits the length of a statement,
  /// and its tree, which grows with the square of the number of queries.
  private static let most = (queries: 12, names: 20_000)

  /// The statement with the rows of several selections, in order.
  static func statement(_ selections: [String]) -> String {
    "SELECT * FROM (\n\(selections.joined(separator: "\nUNION ALL\n"))\n) ORDER BY \(columns)"
  }

  /// The selections with all rows of the queries. They have equal columns.
  var rows: [String] {
    let summed = queries.filter { $0.query.metrics.map { Set($0) != [Self.users] } ?? true }
    let counted = queries.filter { $0.query.metrics?.contains(Self.users) ?? true }
    return (summed.isEmpty ? [] : [FactScan(queries: summed, table: table).sums])
      + (counted.isEmpty ? [] : [FactScan(queries: counted, table: table).userSets])
  }

  private static let users = MetricReference.known(Catalogue.users).name
  private static let columns = "query, metric, variant, shownLabel, source, bin, step, form, member, memberBuild"

  /// The sums of rows. The inner statement adds up entry by entry, the outer one collects the entries of each row. Each
  /// entry repeats the bounds of its row, because merging a minimum or maximum twice changes nothing.
  private var sums: String {
    """
    SELECT \(Self.columns), min(low1) AS least, max(high1) AS greatest, max(coarse1) AS level,
      groupArray(lowKey) AS lows, groupArray(highKey) AS highs, groupArray(total) AS sums
    FROM (
      SELECT \(selection(\.metrics)), lowKey, highKey, sum(entry) AS total,
        minMerge(low) AS low1, maxMerge(high) AS high1, maxMerge(coarse) AS coarse1
      FROM \(table)
      ARRAY JOIN entryMap.lowKey AS lowKey, entryMap.highKey AS highKey, entryMap.sum AS entry
      \(restriction(to: "form < \(UserForm.all.rawValue)", \.metrics))
      GROUP BY \(Self.columns), lowKey, highKey
    )
    GROUP BY \(Self.columns)
    """
  }

  /// The users of each row: their number in `sums`, and up to `exactLimit + 1` hashes in `lows`. One hash too many means
  /// that the set must be a sketch.
  private var userSets: String {
    """
    SELECT \(Self.columns), toFloat64(0) AS least, toFloat64(0) AS greatest, toFloat64(0) AS level,
      groupArray(\(UserSet.exactLimit + 1))(user) AS lows, emptyArrayUInt64() AS highs, [toInt64(count())] AS sums
    FROM (\(members)) GROUP BY \(Self.columns)
    """
  }

  /// The registers of sketches of users.
  var sketches: String {
    """
    SELECT \(Self.columns), groupArray(register) AS numbers, groupArray(top) AS ranks
    FROM (
      SELECT \(Self.columns), bitShiftRight(user, \(UserSet.rankBits)) AS register, max(rank) AS top
      FROM (\(members)) GROUP BY \(Self.columns), register
    )
    GROUP BY \(Self.columns)
    """
  }

  /// The users of rows.
  private var members: String {
    """
    SELECT \(selection { _ in [Self.users] }), user, rank FROM \(table)
    \(restriction(to: "form >= \(UserForm.all.rawValue)") { _ in [Self.users] })
    GROUP BY \(Self.columns), user, rank HAVING sum(n) > 0
    """
  }

  // MARK: Expressions

  /// The metrics whose rows a query reads; nil for all.
  private typealias Metrics = (RowQuery) -> [String]?

  /// The selected columns, named like `columns`.
  private func selection(_ metrics: Metrics) -> String {
    """
    \(number(metrics)) AS query, metric, variant, \(queries[0].label) AS shownLabel, source, \(choice(\.bin)) AS bin,
      \(choice(\.resolution)) AS step, form, \(choice(\.member.name)) AS member, \(choice(\.member.build)) AS memberBuild
    """
  }

  /// The number of the query that a row is for. A row of several queries is repeated for each.
  private func number(_ metrics: Metrics) -> String {
    guard queries.count > 1 else { return "toUInt16(\(queries[0].number))" }
    let conditions = queries.map { query in
      ([query.days] + query.names + [Self.condition(on: metrics(query.query)), query.totals].compactMap { $0 })
        .joined(separator: " AND ")
    }
    let numbers = queries.map { "toUInt16(\($0.number))" }.joined(separator: ", ")
    return "arrayJoin(arrayFilter((one, isOf) -> isOf, [\(numbers)], [\(conditions.joined(separator: ", "))]))"
  }

  /// An expression of each query, for its rows.
  private func choice(_ expression: (FactQuery) -> String) -> String {
    let all = queries.map(expression)
    guard Set(all).count > 1 else { return all[0] }
    let choices = zip(queries, all).dropLast().map { "query = \($0.number), \($1)" }
    return "multiIf(\((choices + [all[all.count - 1]]).joined(separator: ", ")))"
  }

  /// The conditions on rows of any of the queries. `forms` selects sums or users.
  ///
  /// A server reads the columns of the first conditions for all rows of the metrics, and the other columns, of which the
  /// arrays of numbers are the largest, only for the rest. Filters by name leave the fewest rows.
  private func restriction(to forms: String, _ metrics: Metrics) -> String {
    let window = queries.dropFirst().reduce(queries[0].query.window) { window, other in
      Window(from: min(window.from, other.query.window.from), to: max(window.to, other.query.window.to))
    }
    var index = queries[0].place
    let lists = queries.map { metrics($0.query) }
    if !lists.contains(nil), let condition = Self.condition(on: Set(lists.compactMap { $0 }.joined()).sorted()) {
      index.append(condition)
    }
    var bounds = [forms, FactQuery.days(of: window), queries[0].labels]
    if queries.count == 1, let totals = queries[0].totals { bounds.append(totals) }
    let first = names.isEmpty ? bounds : names
    let rest = names.isEmpty ? index : bounds + index
    return "PREWHERE \(first.joined(separator: " AND ")) WHERE \(rest.joined(separator: " AND "))"
  }

  /// The filters by name that rows of any of the queries meet: those that all have or, if there are none, the first of
  /// each.
  private var names: [String] {
    let common = queries[0].names.filter { name in queries.allSatisfy { $0.names.contains(name) } }
    guard common.isEmpty else { return common }
    let first = queries.map(\.names.first)
    return first.contains(nil) ? [] : ["(\(Set(first.compactMap { $0 }).sorted().joined(separator: " OR ")))"]
  }

  private static func condition(on metrics: [String]?) -> String? {
    metrics.map { $0.isEmpty ? "0" : "metric IN \(ClickHouseQuoting.list($0))" }
  }
}
