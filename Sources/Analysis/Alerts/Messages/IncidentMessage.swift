import Core
public import Storage

extension AlertMessage {
  /// A message about all transitions of one evaluation; nil if no transition has an event to report.
  ///
  /// - Parameters:
  ///   - app: the bundle identifier; nil for incidents of the whole data folder.
  ///   - decision: the version of the state that the evaluation changes. It distinguishes two evaluations with the same
  ///     `now`, such as of `plumb check --now`, and the same incident text.
  init?(_ transitions: [Transition], app: String?, links: AlertLinks, now: Timestamp, decision: Int64) {
    let reported = transitions.compactMap { change in change.event.map { (change: change, event: $0) } }
      .sorted { Self.rank($0.event, $0.change.incident) < Self.rank($1.event, $1.change.incident) }
    guard let first = reported.first else { return nil }
    let items = reported.map { Item($0.change, $0.event, link: links.incident($0.change.incident, app), now: now) }
    let incidents = reported.map(\.change.incident)
    let releases = Set(incidents.map(\.key.release))
    let environments = Set(incidents.compactMap(\.key.environment))
    let severities = reported.filter { $0.event == first.event }.map(\.change.incident.severity)
    let name = IncidentIdentifier.hash(
      reported.map { $0.change.incident.id + $0.event.rawValue } + ["\(now.milliseconds) \(decision)"])
    self.init(
      identifier: name, event: first.event, severity: severities.max() ?? .info, app: app ?? Self.everyApp,
      release: releases.count == 1 ? releases.first ?? nil : nil,
      environment: environments.count == 1 ? environments.first : nil,
      title: OneLine.text(MessageTitle(items, incidents, app: app ?? Self.everyApp).text), items: items,
      link: links.overview(app) ?? items[0].link, time: now)
  }

  /// The sort key of an incident in a message: by event, then by severity (highest first), then releases before the
  /// whole app.
  private static func rank(_ event: Event, _ incident: Incident) -> (Int, Int, Int, String) {
    let severity = Severity.allCases.firstIndex(of: incident.severity) ?? 0
    let theme = IncidentKey.Theme.allCases.firstIndex(of: incident.key.theme) ?? 0
    return (Event.allCases.firstIndex(of: event) ?? 0, -severity, theme, incident.title)
  }
}

extension AlertMessage.Item {
  /// An item that summarises one incident, with a row for each breach if there is more than one.
  init(_ change: Transition, _ event: AlertMessage.Event, link: String?, now: Timestamp) {
    let incident = change.incident
    let breaches = incident.closed == nil ? incident.open : incident.ranked
    let isSingle = breaches.count == 1 && incident.breaches.count == 1
    let reason = incident.closedBecause.map { [Detail("Why", $0)] } ?? []
    let rows = isSingle ? [] : Self.rows(breaches, change.news)
    let lead = breaches.first?.evidence
    self.init(
      incident: incident.id, event: event,
      summary: OneLine.text(isSingle ? lead?.summary ?? incident.title : incident.title),
      facts: reason + [Self.noticed(incident, now)] + rows
        + (lead?.facts ?? []).map { Detail($0.name, OneLine.text($0.value)) },
      advice: incident.closed == nil ? lead?.advice : nil, link: link, since: incident.since)
  }

  private static func noticed(_ incident: Incident, _ now: Timestamp) -> Detail {
    let end = incident.closed ?? now
    let lasted = Elapsed.text(minutes: Double(end.milliseconds - incident.opened.milliseconds) / 60_000)
    let isNew = incident.closed == nil && now == incident.opened
    return Detail("Noticed", isNew ? incident.opened.iso : "\(incident.opened.iso), open for \(lasted)")
  }

  /// The maximum number of breaches that a message lists; the rest is counted.
  private static let most = 12

  private static func rows(_ breaches: [Breach], _ news: Set<BreachKey>) -> [Detail] {
    // New breaches come first, because they are the reason for the message.
    let sorted = breaches.filter { news.contains($0.key) } + breaches.filter { !news.contains($0.key) }
    let rows = sorted.prefix(most).flatMap { breach -> [Detail] in
      let row = Detail(
        (news.contains(breach.key) ? "Now also: " : "") + breach.key.label(breach.severity),
        OneLine.text(breach.evidence.summary))
      // The facts of the first breach follow below the rows.
      guard let group = breach.key.group, breach.key != breaches.first?.key else { return [row] }
      return [row, Detail("Group", OneLine.text(group))]
    }
    let more = sorted.count - most
    return rows + (more > 0 ? [Detail("And", "\(more) more")] : [])
  }
}

/// Builds the absolute URLs of dashboard pages for messages.
public struct AlertLinks: Sendable {
  /// Returns the URL of the page about an incident of an app; nil without a public URL.
  var incident: @Sendable (Incident, _ app: String?) -> String?
  /// Returns the URL of the page that lists the incidents of an app, or of all apps; nil without a public URL.
  var overview: @Sendable (_ app: String?) -> String?

  public init(
    overview: @escaping @Sendable (_ app: String?) -> String?,
    incident: @escaping @Sendable (Incident, _ app: String?) -> String?
  ) {
    self.overview = overview
    self.incident = incident
  }

  /// No links, for a server without a public URL.
  public static let none = AlertLinks(overview: { _ in nil }, incident: { _, _ in nil })
}

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
    let sum = [lead.evidence.headline] + (others.isEmpty ? [] : [others.joined(separator: ", ")])
    return OneLine.text("\(subject(key)): \(sum.joined(separator: "; "))")
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
      case .crash: isOne ? "crash group" : "crash groups"
      case .hang: isOne ? "hang group" : "hang groups"
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

/// The title of a message: its first line, which can be read alone.
struct MessageTitle {
  private let items: [AlertMessage.Item]
  private let incidents: [Incident]
  private let app: String

  /// Creates the title from the items of the message, most severe first, and the incident of each.
  init(_ items: [AlertMessage.Item], _ incidents: [Incident], app: String) {
    self.items = items
    self.incidents = incidents
    self.app = app
  }

  /// The text: `BROKEN com.example.shop: 4.2.0: a new crash in Cart.pay() explains 73 % of its crashes; four more
  /// budgets broken; also all releases`.
  var text: String {
    guard let first = items.first, let incident = incidents.first else { return app }
    let start = "\(Self.word(first.event, incident)) \(app): \(first.summary)"
    guard items.count > 1 else { return start }
    let named = zip(items, incidents).dropFirst().prefix(Self.most).map { name($1, $0.event, after: first.event) }
    let more = items.count - 1 > Self.most ? " and \(items.count - 1 - Self.most) more" : ""
    return "\(start); also \(named.joined(separator: ", "))\(more)"
  }

  /// The maximum number of further incidents that the title names; the rest is counted.
  private static let most = 4

  /// The first word of the title, in capitals: `BROKEN`, `RESOLVED`.
  static func word(_ event: AlertMessage.Event, _ incident: Incident) -> String {
    switch event {
    case .opened: state(incident)
    case .worsened: "MORE BROKEN"
    case .stillBroken: "STILL \(state(incident))"
    case .resolved: "RESOLVED"
    case .retired: "RETIRED"
    case .digest: "DIGEST"
    }
  }

  private static func state(_ incident: Incident) -> String {
    switch incident.lead?.key.rule {
    case .stale: "NO DATA"
    case .missing: "NOT ENOUGH DATA"
    case .digest: "BEHIND"
    case .quarantine: "QUARANTINED"
    case .space: "DISK"
    case .evaluation: "NOT JUDGED"
    case .regression: "WORSE"
    case .newGroup: "NEW CAUSE"
    case .groupSpike: "SPIKE"
    case .budget, .warning, .burn, nil: incident.severity == .critical ? "BROKEN" : "WARNING"
    }
  }

  private func name(_ incident: Incident, _ event: AlertMessage.Event, after first: AlertMessage.Event) -> String {
    let word = event == first ? "" : " (\(Self.word(event, incident).lowercased()))"
    return IncidentTitle.subject(incident.key) + word
  }
}

/// Stable identifiers of incidents and messages: the same key and opening time give the same identifier in every
/// process. Receivers use it to match the end of an incident to its start, so the hash must never change.
enum IncidentIdentifier {
  /// The identifier of an incident: 16 hexadecimal digits.
  static func of(_ key: IncidentKey, app: AppID, opened: Timestamp) -> String {
    hash(
      ["\(app)", key.theme.rawValue, key.environment ?? "\u{1}", key.release ?? "\u{1}", "\(opened.milliseconds)"])
  }

  /// A hash of a list of texts as 16 hexadecimal digits: FNV-1a with the final mix of SplitMix64. A byte that UTF-8
  /// never contains separates the texts.
  static func hash(_ parts: [String]) -> String {
    var z: UInt64 = 0xcbf2_9ce4_8422_2325
    for part in parts {
      for byte in part.utf8 { z = (z ^ UInt64(byte)) &* 0x100_0000_01b3 }
      z = (z ^ 0xff) &* 0x100_0000_01b3
    }
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    let digits = String(z ^ (z >> 31), radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
