import Storage
import Telemetry
import Wording

/// Sums an incident up in one line: the release or theme, the most important breach, and the number of the others.
///
///     4.3.0: a new crash in Cart.pay() explains 73 % of its crashes; four more budgets broken
enum IncidentTitle {
  /// The title of an incident with these breaches. Those that are over count only if all are.
  static func text(_ key: IncidentKey, _ breaches: [Breach]) -> String {
    let incident = Incident(
      id: "", app: Incident.folder, key: key, opened: Timestamp(milliseconds: 0),
      evaluated: Timestamp(milliseconds: 0), breaches: breaches)
    let shown = incident.open.isEmpty ? incident.ranked : incident.open
    guard let lead = shown.first else { return subject(key) }
    let others = counts(shown.dropFirst(), after: lead)
    let sum = [lead.evidence.headline] + (others.isEmpty ? [] : [others.joined(separator: ", ")])
    return OneLine.text("\(subject(key)): \(sum.joined(separator: "; "))")
  }

  /// The release or theme, by which the titles of an app's open incidents differ.
  static func subject(_ key: IncidentKey) -> String {
    let name =
      switch key.theme {
      case .release: key.release ?? "unknown release"
      case .app: "all releases"
      case .data: "data"
      case .evaluation: "judging"
      case .digest: "digest"
      case .quarantine: "set aside"
      case .space: "disk"
      }
    guard let environment = key.environment, environment != "production" else { return name }
    return "\(name) (\(environment))"
  }

  /// How many further breaches there are of each sort: `four more budgets broken`. A metric counts once, where it is
  /// gravest. A new or grown crash stands for the crash-free rates that it lowers, and every breach of crashes for the
  /// burn rate.
  private static func counts(_ others: some Sequence<Breach>, after lead: Breach) -> [String] {
    let isGroup = lead.key.group != nil
    var metrics: Set<String> = [lead.key.metric ?? ""]
    let shown = others.filter { other in
      if !other.isOfCrashes, let metric = other.key.metric, !metrics.insert(metric).inserted { return false }
      guard other.isOfCrashes, lead.isOfCrashes, other.key.group == nil else { return true }
      return !isGroup && other.key.rule != .burn
    }
    var groups: [(sort: Sort, count: Int)] = []
    for breach in shown {
      let sort = Sort(breach)
      if let index = groups.firstIndex(where: { $0.sort == sort }) {
        groups[index].count += 1
      } else {
        groups.append((sort, 1))
      }
    }
    return groups.map { sort, count in
      let isMore = sort == Sort(lead) || sort == .budget && isGroup
      return "\(number(count))\(isMore ? " more" : "") \(sort.words(count))"
    }
  }

  private enum Sort {
    case crash, hang, budget, warning, burn, regression, missing, other

    init(_ breach: Breach) {
      self =
        switch breach.key.rule {
        case .newGroup, .groupSpike: breach.isOfCrashes ? .crash : .hang
        case .budget: .budget
        case .warning: .warning
        case .burn: .burn
        case .regression: .regression
        case .missing: .missing
        case .stale, .digest, .quarantine, .evaluation, .space: .other
        }
    }

    func words(_ count: Int) -> String {
      let isOne = count == 1
      return switch self {
      case .crash: isOne ? "cause of crashes" : "causes of crashes"
      case .hang: isOne ? "cause of hangs" : "causes of hangs"
      case .budget: isOne ? "budget broken" : "budgets broken"
      case .warning: isOne ? "warning level passed" : "warning levels passed"
      case .burn: "error budget used up too fast"
      case .regression: isOne ? "metric worse than before" : "metrics worse than before"
      case .missing: isOne ? "metric with too little data" : "metrics with too little data"
      case .other: isOne ? "problem" : "problems"
      }
    }
  }

  private static func number(_ count: Int) -> String {
    let words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    return (1...words.count).contains(count) ? words[count - 1] : Decimal.grouped(count)
  }
}
