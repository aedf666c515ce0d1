import Core
import Storage

/// Summarises an incident in one line: the release or theme, the most important breach, and the number of the others.
///
///     4.3.0: a new crash in Cart.pay() explains 73 % of its crashes; four more budgets broken
enum IncidentTitle {
  /// The title of an incident with these breaches. Closed breaches count only if all are closed.
  static func text(_ key: IncidentKey, _ breaches: [Breach]) -> String {
    let incident = Incident(
      id: "", app: Incident.folder, key: key, opened: Timestamp(milliseconds: 0),
      evaluated: Timestamp(milliseconds: 0), breaches: breaches)
    let shown = incident.open.isEmpty ? incident.ranked : incident.open
    guard let lead = shown.first else { return subject(key) }
    let others = counts(shown.dropFirst(), after: lead)
    let sum = [headline(lead, key)] + (others.isEmpty ? [] : [others.joined(separator: ", ")])
    return OneLineText.text("\(subject(key)): \(sum.joined(separator: "; "))")
  }

  /// The first line about an open incident with new breaches: what is new, then what was known. Without new breaches,
  /// the incident's title.
  ///
  ///     4.3.0: halt the rollout of 4.3.0; worse than 4.2.0 in launch; known: p90 launch is 2.2 s, budget ≤ 2 s
  static func text(_ incident: Incident, news: Set<BreachKey>) -> String {
    let fresh = incident.open.filter { news.contains($0.key) }
    guard let lead = lead(fresh, news) else { return incident.title }
    let others = counts(fresh.filter { $0.key != lead.key }, after: lead)
    let known = incident.open.first { !news.contains($0.key) }.map { "known: \(headline($0, incident.key))" }
    let parts = [headline(lead, incident.key), others.joined(separator: ", "), known ?? ""].filter { !$0.isEmpty }
    return OneLineText.text("\(subject(incident.key)): \(parts.joined(separator: "; "))")
  }

  /// The breach that a message is about: of the new ones, the advice to halt, else the first critical one, else the
  /// first. Without new ones, the first of all.
  static func lead(_ ranked: [Breach], _ news: Set<BreachKey>) -> Breach? {
    let fresh = ranked.filter { news.contains($0.key) }
    return fresh.first { $0.key.rule == .rollout } ?? fresh.first { $0.severity == .critical } ?? fresh.first
      ?? ranked.first
  }

  /// A breach's headline. It names the release if that is not the incident's.
  private static func headline(_ breach: Breach, _ key: IncidentKey) -> String {
    let theme = breach.key.incident
    guard theme != key, theme.theme == .release || theme.theme == .app else { return breach.evidence.headline }
    return "in \(breach.key.version ?? "all releases"), \(breach.evidence.headline)"
  }

  /// The release or theme, which distinguishes the titles of an app's open incidents.
  static func subject(_ key: IncidentKey) -> String {
    let name =
      switch key.theme {
      case .release: key.release ?? "unknown release"
      case .app: "all releases"
      case .data: "data"
      case .evaluation: "evaluation"
      case .digest: "digest"
      case .quarantine: "quarantine"
      case .space: "disk"
      }
    guard let environment = key.environment, environment != "production" else { return name }
    return "\(name) (\(environment))"
  }

  /// The number of further breaches of each kind: `four more budgets broken`. A metric counts once, for its most severe
  /// breach. A new or growing crash group covers the crash-free rates that it lowers, and any breach about crashes
  /// covers the burn rate.
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
    case crash, hang, budget, warning, burn, regression, rollout, missing, other

    init(_ breach: Breach) {
      self =
        switch breach.key.rule {
        case .newGroup, .groupSpike: breach.isOfCrashes ? .crash : .hang
        case .budget: .budget
        case .warning: .warning
        case .burn: .burn
        case .regression: .regression
        case .rollout: .rollout
        case .missing: .missing
        case .stale, .digest, .quarantine, .evaluation, .space: .other
        }
    }

    func words(_ count: Int) -> String {
      let isOne = count == 1
      return switch self {
      case .crash: isOne ? "crash group" : "crash groups"
      case .hang: isOne ? "hang group" : "hang groups"
      case .budget: isOne ? "budget broken" : "budgets broken"
      case .warning: isOne ? "warning level passed" : "warning levels passed"
      case .burn: "error budget used up too fast"
      case .rollout: "rollout to halt"
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

/// The title of a message: its first line, which can be read alone.
struct MessageTitle {
  private let items: [AlertMessage.Item]
  private let changes: [Transition]
  private let app: String

  /// Creates the title from the items of the message, most severe first, and the change of each.
  init(_ items: [AlertMessage.Item], _ changes: [Transition], app: String) {
    self.items = items
    self.changes = changes
    self.app = app
  }

  /// The text: `BROKEN com.example.shop: 4.2.0: a new crash in Cart.pay() explains 73 % of its crashes; four more
  /// budgets broken; also all releases`.
  var text: String {
    guard let first = items.first, let change = changes.first else { return app }
    let start = "\(Self.word(first.event, change)) \(app): \(first.summary)"
    guard items.count > 1 else { return start }
    let named = zip(items, changes).dropFirst().prefix(Self.most).map { name($1, $0.event, after: first.event) }
    let more = items.count - 1 > Self.most ? " and \(items.count - 1 - Self.most) more" : ""
    return "\(start); also \(named.joined(separator: ", "))\(more)"
  }

  /// The maximum number of further incidents that the title names; the rest is counted.
  private static let most = 4

  /// The first word of the title, in capitals: `BROKEN`, `RESOLVED`.
  private static func word(_ event: AlertMessage.Event, _ change: Transition) -> String {
    let incident = change.incident
    return switch event {
    case .opened: state(incident)
    // An escalation has the new word.
    case .worsened:
      change.isEscalation ? state(incident, IncidentTitle.lead(incident.open, change.news)) : "MORE BROKEN"
    case .stillBroken: "STILL \(state(incident))"
    case .resolved: "RESOLVED"
    case .retired: "RETIRED"
    case .digest: "DIGEST"
    }
  }

  /// `lead`: the breach that the message is about; nil for the incident's most important one.
  private static func state(_ incident: Incident, _ lead: Breach? = nil) -> String {
    // What to do comes first, whatever broke.
    if incident.open.contains(where: { $0.key.rule == .rollout && $0.condition == .broken }) { return "HALT" }
    return switch (lead ?? incident.lead)?.key.rule {
    case .stale: "NO DATA"
    case .missing: "NOT ENOUGH DATA"
    case .digest: "BEHIND"
    case .quarantine: "QUARANTINED"
    case .space: "DISK"
    case .evaluation: "NOT JUDGED"
    case .regression: "WORSE"
    case .rollout: "HALT"
    case .newGroup: "NEW CAUSE"
    case .groupSpike: "SPIKE"
    case .budget, .warning, .burn, nil: incident.severity == .critical ? "BROKEN" : "WARNING"
    }
  }

  private func name(_ change: Transition, _ event: AlertMessage.Event, after first: AlertMessage.Event) -> String {
    let word = event == first ? "" : " (\(Self.word(event, change).lowercased()))"
    return IncidentTitle.subject(change.incident.key) + word
  }
}
