import Health

/// Which budgets an app's page shows as cards, and in which order.
enum VitalOrder {
  /// Crash-free, launch, hang and memory come first; within a family the model's order stays.
  static func sorted(_ vitals: [Vital]) -> [Vital] {
    vitals.enumerated().sorted {
      (family($0.element), $0.offset) < (family($1.element), $1.offset)
    }.map(\.element)
  }

  /// The first families and whatever is broken or warns get cards, up to sixteen; the rest fits a table.
  static func split(_ vitals: [Vital]) -> (cards: [Vital], rest: [Vital]) {
    var cards: [Vital] = []
    var rest: [Vital] = []
    for vital in sorted(vitals) {
      let matters = family(vital) < 4 || vital.result.verdict == .broken || vital.result.verdict == .warning
      if matters, cards.count < 16 { cards.append(vital) } else { rest.append(vital) }
    }
    return (cards, rest)
  }

  private static func family(_ vital: Vital) -> Int {
    let name = vital.result.metric.prefix { $0 != "." }
    switch name {
    case "sessions", "users", "exits": return 0
    case "launch": return 1
    case "hang": return 2
    case "memory": return 3
    default: return 4
    }
  }
}
