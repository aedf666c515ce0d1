import Core
package import Storage

/// Formats durations for display.
package enum Elapsed {
  /// A duration in minutes as text: `4 min`, `26 h`, `3 days`.
  package static func text(minutes: Double) -> String {
    guard minutes >= 1 else { return "less than a minute" }
    if minutes < 120 { return "\(Decimal.fixed(minutes, 0))\u{A0}min" }
    if minutes < 3 * 1440 { return "\(Decimal.fixed(minutes / 60, 0))\u{A0}h" }
    return "\(Decimal.fixed(minutes / 1440, 0))\u{A0}days"
  }
}

extension Window {
  /// `2026-11-01 to 2026-11-28`; a single day as itself.
  package var text: String { from == to ? from.iso : "\(from.iso) to \(to.iso)" }
}
