public import Core

/// The number of sessions or payloads of a release in a time bin.
public struct UsageRow: Sendable, Equatable {
  /// The unit of the count: sessions or payloads.
  public enum Kind: Sendable {
    case sessions
    case payloads
  }

  /// The title of the release.
  public var member: String
  /// The time bin at the finest stored resolution.
  public var bin: TimeBin
  public var kind: Kind
  public var count: Int64

  public init(member: String, bin: TimeBin, kind: Kind, count: Int64) {
    self.member = member
    self.bin = bin
    self.kind = kind
    self.count = count
  }

  /// The usage in a row; nil for a row of another kind.
  public init?(_ row: MetricRow) {
    guard let usage = row.aggregate.usage else { return nil }
    self.init(member: row.member, bin: row.bin, kind: usage.kind, count: usage.count)
  }

  /// The metrics whose rows contain usage.
  public static let metrics = ["sessions", "payloads"]
}

extension Aggregate {
  /// The number of sessions or payloads in the aggregate; nil for other kinds.
  var usage: (kind: UsageRow.Kind, count: Int64)? {
    switch self {
    case .sessions(let tally): (.sessions, tally.total)
    case .counter(let sum): (.payloads, sum.payloads)
    case .distribution, .pair, .users: nil
    }
  }

  /// The number of sessions or payloads, read from an encoded aggregate without decoding the rest.
  public static func usage(
    from reader: inout ByteReader
  ) throws(DamagedBytes) -> (kind: UsageRow.Kind, count: Int64)? {
    switch try reader.byte() {
    case 2: (.payloads, try CounterSum(from: &reader).payloads)
    case 4, 6: (.sessions, try SessionTally.total(from: &reader))
    default: nil
    }
  }
}

extension Store {
  public func usage(_ query: RowQuery) throws -> [UsageRow] {
    try rows(query).compactMap(UsageRow.init)
  }

  public func members(of query: RowQuery) throws -> Set<String> { Set(try usage(query).lazy.map(\.member)) }
}
