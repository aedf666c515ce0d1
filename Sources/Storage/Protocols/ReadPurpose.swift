public import Core

/// What the reads of a snapshot are for, such as a page. A store may read in advance what reads of the same kind asked
/// for before.
public struct ReadPurpose: Sendable {
  @TaskLocal public static var current: ReadPurpose?

  /// Reads of the same kind ask for the same rows, but for the days and names below. The most specific kind is first:
  /// that of a metric's page precedes that of all metrics' pages.
  public var kinds: [String]
  /// The first day that was asked for; nil for the usual one.
  public var from: CalendarDay?
  /// The filters and other names by their parameter: `["device": "iPhone15,2"]`.
  public var names: [String: String]

  public init(kinds: [String], from: CalendarDay? = nil, names: [String: String] = [:]) {
    (self.kinds, self.from, self.names) = (kinds, from, names)
  }

  /// Runs `body` for a part of this purpose that is not always read.
  public static func part<Answer>(_ name: String, _ body: () throws -> Answer) rethrows -> Answer {
    guard var own = current else { return try body() }
    own.kinds = own.kinds.map { $0 + "\n" + name }
    return try $current.withValue(own, operation: body)
  }
}
