public import Bytes

/// How much a release was used in a stretch of time: the count of one stored row, and nothing else of it.
public struct UsageRow: Sendable, Equatable {
  /// What was counted.
  public enum Kind: Sendable {
    case sessions
    case payloads
  }

  /// The title of the release.
  public var member: String
  /// As finely as it is kept.
  public var bin: TimeBin
  public var kind: Kind
  public var count: Int64

  public init(member: String, bin: TimeBin, kind: Kind, count: Int64) {
    self.member = member
    self.bin = bin
    self.kind = kind
    self.count = count
  }

  /// The metrics it is read from.
  public static let metrics = ["sessions", "payloads"]
}

extension Aggregate {
  /// How many sessions or payloads it counts; nil for an aggregate of another kind.
  var usage: (kind: UsageRow.Kind, count: Int64)? {
    switch self {
    case .sessions(let tally): (.sessions, tally.total)
    case .counter(let sum): (.payloads, sum.payloads)
    case .distribution, .pair, .users: nil
    }
  }

  /// The same from the stored form, of which no more is read than that.
  public static func usage(
    from reader: inout ByteReader
  ) throws(DamagedBytes) -> (kind: UsageRow.Kind, count: Int64)? {
    switch try reader.byte() {
    case 2: (.payloads, try CounterSum(from: &reader).payloads)
    case 4: (.sessions, try SessionTally.total(from: &reader))
    default: nil
    }
  }
}

extension Store {
  public func forEachRow(of query: RowQuery, _ body: (MetricRow) throws -> Void) throws {
    for row in try rows(query) { try body(row) }
  }

  public func usage(_ query: RowQuery) throws -> [UsageRow] {
    try rows(query).compactMap { row in
      row.aggregate.usage.map { UsageRow(member: row.member, bin: row.bin, kind: $0.kind, count: $0.count) }
    }
  }
}
