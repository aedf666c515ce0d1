import Core
import Storage

/// The rules about crash and hang groups: a group that is new in a release and certainly affects many sessions, and a
/// group that affects far more sessions than before.
struct GroupRule {
  private let context: RuleContext

  init(_ context: RuleContext) { self.context = context }

  var findings: [Finding] {
    context.input.groups.filter { $0.group.kind != .error }.flatMap { watch in
      [watch.isNew ? new(watch) : nil, watch.isNew ? nil : spike(watch)].compactMap { $0 }
    }
  }

  /// The reason why an incident of this rule no longer applies; nil if it still applies.
  static func retired(_ key: BreachKey, _ input: AlertRuleInput) -> String? {
    input.groups.contains { Self.subject($0) == key.subject }
      ? nil : "The release is no longer one of the newest two, or the group has no data left."
  }

  /// The incident's subject: the group and the version, with all its builds.
  private static func subject(_ watch: GroupRuleInput) -> String { "\(watch.group.id) \(watch.release)" }

  private func new(_ watch: GroupRuleInput) -> Finding? {
    let share = watch.group.share.estimate.value ?? 0
    let limit = context.thresholds.groupShare
    let isCertain = watch.certainShare.map { $0 > limit } ?? false
    return finding(
      .newGroup, watch, isBroken: isCertain, isBetter: share <= limit / 2, since: watch.group.firstSeen,
      headline: newHeadline(watch),
      "\(watch.group.title) is new in \(watch.release): \(part(watch.group.share)) of its sessions, more than "
        + Quantity.limit(limit, .ratio))
  }

  private func spike(_ watch: GroupRuleInput) -> Finding? {
    guard let before = watch.mostEarlierShare, let recent = watch.recentShare else { return nil }
    let isCertain =
      watch.certainRecentShare.map { $0 > before * Self.growth && $0 > context.thresholds.groupShare / 5 } ?? false
    return finding(
      .groupSpike, watch, isBroken: isCertain, isBetter: recent <= before * Self.growth / 2, since: watch.grew,
      headline: "\(plural(watch.group.kind)) in \(place(watch)) grew to \(Quantity.share(recent)) of sessions",
      "\(watch.group.title) grew in \(watch.release): \(Quantity.share(recent)) of sessions in two days, at most "
        + "\(Quantity.share(before)) before")
  }

  /// The factor by which the share of affected sessions must grow to count as a spike.
  private static let growth = 3.0

  private func finding(
    _ rule: BreachKey.Rule, _ watch: GroupRuleInput, isBroken: Bool, isBetter: Bool, since: CalendarDay?,
    headline: String, _ summary: String
  ) -> Finding {
    var condition: Incident.Condition = isBroken ? .broken : isBetter ? .recovering : .unclear
    // A person's decision ends the incident at once.
    if !watch.group.status.isOpen { condition = .within }
    let key = BreachKey(rule, Self.subject(watch), slice: Slice(environment: context.input.slice.environment))
    if condition == .broken, !context.open.contains(key), context.isYoung(version: watch.release) {
      condition = .unclear
    }
    return Finding(
      key: key, severity: watch.group.kind == .crash ? .critical : .warning, condition: condition,
      count: watch.group.share.n, enough: Self.enough, since: since?.startUTC,
      evidence: Evidence(
        summary: "\(summary) [\(context.input.slice.environment)]", facts: facts(watch), advice: advice(watch),
        headline: headline))
  }

  /// `a new crash in Cart.pay() explains 73 % of its crashes`
  private func newHeadline(_ watch: GroupRuleInput) -> String {
    let group = watch.group
    let start = "a new \(group.kind == .crash ? "crash" : "hang") in \(place(watch))"
    guard let share = watch.shareOfKind else {
      return "\(start) affects \(Quantity.share(group.share.estimate.value)) of sessions"
    }
    return "\(start) explains \(Quantity.share(share)) of its \(plural(group.kind))"
  }

  private func plural(_ kind: DiagnosticKind) -> String { kind == .crash ? "crashes" : "hangs" }

  /// The function or file of the top frame, which follows the exception in the group's title; the whole title if no
  /// frame is known.
  private func place(_ watch: GroupRuleInput) -> String {
    let title = watch.group.title
    return title.firstRange(of: " in ").map { String(title[$0.upperBound...]) } ?? title
  }

  /// The number of new sessions needed to close a recovering incident.
  private static let enough = 300

  private func facts(_ watch: GroupRuleInput) -> [Detail] {
    let group = watch.group
    let sessions = group.sessions.map { "\(Decimal.grouped($0)) of \(Decimal.grouped(group.share.n)) sessions" }
    let users = group.users.map { "of \(Decimal.grouped($0)) users" }
    return [
      Detail("Evidence", [sessions, users].compactMap { $0 }.joined(separator: ", ")),
      Detail("Seen", "\(group.firstSeen.iso) to \(group.lastSeen.iso)"),
      Detail("Group", group.id),
    ]
  }

  private func advice(_ watch: GroupRuleInput) -> String {
    watch.group.kind == .crash
      ? "Open the group. Find your first frame in the crashed thread and what changed there in \(watch.release)."
      : "Open the group. Find the widest path of the flame graph and what changed there in \(watch.release)."
  }

  private func part(_ share: RatioEstimate) -> String {
    "\(Quantity.text(share.estimate, .ratio)) (\(Quantity.interval(share.estimate, .ratio)) at 95\u{A0}%, n "
      + "\(Decimal.grouped(share.n)))"
  }
}
