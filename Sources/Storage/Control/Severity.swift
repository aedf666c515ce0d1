/// The severity of a breach, an incident or a message, in ascending order.
public enum Severity: String, Sendable, CaseIterable, Comparable, Codable {
  case info
  case warning
  case critical

  public static func < (one: Self, other: Self) -> Bool { one.rank < other.rank }

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
