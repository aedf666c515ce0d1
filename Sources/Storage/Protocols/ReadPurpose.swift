public import Core

/// What the reads of a snapshot are for, such as a page. A store may read in advance what reads of the same kind asked
/// for before.
public struct ReadPurpose: Sendable {
  @TaskLocal public static var current: ReadPurpose?

  /// Reads of the same kind ask for the same rows, but for the days and names below.
  public var kind: String
  /// The first day that was asked for; nil for the usual one.
  public var from: CalendarDay?
  /// The filters by their parameter: `["device": "iPhone15,2"]`.
  public var filters: [String: String]

  public init(kind: String, from: CalendarDay? = nil, filters: [String: String] = [:]) {
    (self.kind, self.from, self.filters) = (kind, from, filters)
  }

  /// Runs `body` for a part of this purpose that is not always read.
  public static func part<Answer>(_ name: String, _ body: () throws -> Answer) rethrows -> Answer {
    guard var own = current else { return try body() }
    own.kind += "\n" + name
    return try $current.withValue(own, operation: body)
  }
}
