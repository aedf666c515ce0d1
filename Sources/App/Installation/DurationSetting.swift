/// A duration in settings and flags, such as `5m`, `2h` or `1d`.
public struct DurationSetting: Equatable, Sendable {
  public let milliseconds: Int64

  /// Parses a whole number followed by s, m, h or d, from one second to ten years; nil for anything else.
  public init?(_ text: String) {
    guard let unit = text.utf8.last, let factor = Self.units[unit], let number = Int64(text.dropLast()),
      (1...5_256_000).contains(number), number * factor <= 3650 * 86_400_000
    else { return nil }
    milliseconds = number * factor
  }

  /// The duration in whole minutes, rounded down.
  public var minutes: Int { Int(milliseconds / 60_000) }

  private static let units: [UInt8: Int64] = [
    UInt8(ascii: "s"): 1000, UInt8(ascii: "m"): 60_000, UInt8(ascii: "h"): 3_600_000, UInt8(ascii: "d"): 86_400_000,
  ]
}
