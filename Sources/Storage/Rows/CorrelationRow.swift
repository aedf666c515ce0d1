public import Core
public import Statistics

/// The correlation sums of payload values for one member of a query's dimension, over all days of its window.
public struct CorrelationRow: Sendable, Equatable {
  public var metric: MetricReference
  public var source: Source
  /// The member of the query's dimension; empty without one.
  public var member: String
  public var sums: IntraclassCorrelationSums

  public init(metric: MetricReference, source: Source, member: String, sums: IntraclassCorrelationSums) {
    self.metric = metric
    self.source = source
    self.member = member
    self.sums = sums
  }

  /// The correlation sums of a row's payloads; nil for a row that is not a distribution.
  public init?(_ row: MetricRow) {
    guard case .distribution(let histogram) = row.aggregate else { return nil }
    self.init(metric: row.metric, source: row.source, member: row.member, sums: IntraclassCorrelationSums(histogram))
  }
}

/// Correlation rows of several days, merged into one for each metric, source and member.
public struct CorrelationSet {
  public private(set) var rows: [CorrelationRow] = []
  private var numbers = KeyNumbers<Key>()

  private struct Key: Hashable {
    let metric: MetricReference
    let source: Source
    let member: String
  }

  public init(_ rows: some Sequence<CorrelationRow> = []) {
    for row in rows { add(row) }
  }

  public mutating func add(_ row: CorrelationRow) {
    let index = numbers.number(of: Key(metric: row.metric, source: row.source, member: row.member))
    guard index < rows.count else { return rows.append(row) }
    rows[index].sums.merge(row.sums)
  }
}

extension Aggregate {
  /// The sums of an encoded distribution, read without its bins; nil for other kinds.
  public static func likeness(from reader: inout ByteReader) throws(DamagedBytes) -> IntraclassCorrelationSums? {
    try reader.byte() == 1 ? try IntraclassCorrelationSums(ofHistogram: &reader) : nil
  }
}

extension Store {
  public func likeness(_ query: RowQuery) throws -> [CorrelationRow] {
    var found = CorrelationSet()
    try forEachRow(of: query) { row in
      if let likeness = CorrelationRow(row) { found.add(likeness) }
    }
    return found.rows
  }
}
