import ArgumentParser

/// A length of time as it is written in settings: `5m`, `2h`, `1d`.
struct TimeSpan: ExpressibleByArgument, Equatable {
  let milliseconds: Int64

  init?(argument: String) { self.init(argument) }

  /// Nil for anything else, nothing, and more than ten years.
  init?(_ text: String) {
    guard let unit = text.utf8.last, let factor = Self.units[unit], let number = Int64(text.dropLast()),
      (1...5_256_000).contains(number), number * factor <= 3650 * 86_400_000
    else { return nil }
    milliseconds = number * factor
  }

  var minutes: Int { Int(milliseconds / 60_000) }

  private static let units: [UInt8: Int64] = [
    UInt8(ascii: "s"): 1000, UInt8(ascii: "m"): 60_000, UInt8(ascii: "h"): 3_600_000, UInt8(ascii: "d"): 86_400_000,
  ]
}
