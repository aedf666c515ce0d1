internal import Core

/// The text about a breach in messages and on pages.
public struct Evidence: Sendable, Hashable, Codable {
  /// A short phrase for the incident's title: `a new crash in Cart.pay() explains 73 % of its crashes`.
  public var headline: String
  /// The facts in one line: metric, release, value with interval and n, budget.
  public var summary: String
  public var facts: [Detail]
  /// Advice on what to check first.
  public var advice: String?

  /// `headline`: nil to use the summary.
  public init(summary: String, facts: [Detail] = [], advice: String? = nil, headline: String? = nil) {
    self.headline = headline ?? summary
    self.summary = summary
    self.facts = facts
    self.advice = advice
  }
}

/// An additional line about a breach or in a message, as name and value: `Previous release`, `4.1.0: 99.62 %`.
public struct Detail: Sendable, Hashable {
  public var name: String
  public var value: String

  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// A list of name and value.
extension Detail: Codable {
  public init(from decoder: any Decoder) throws {
    var parts = try decoder.unkeyedContainer()
    self.init(try parts.decode(String.self), try parts.decode(String.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var parts = encoder.unkeyedContainer()
    try parts.encode(name)
    try parts.encode(value)
  }
}
