import Health
import Storage
import Telemetry
import Wording

/// What people read about a budget's incident.
struct BudgetEvidenceText {
  let result: BudgetResult
  let test: IncidentTest
  let context: RuleContext

  var evidence: Incident.Evidence {
    Incident.Evidence(
      summary: VerdictFormatter.statement(shown),
      facts: [events] + Facts.ofRelease(result.metric, result.slice, context),
      advice: Advice.line(for: result.metric))
  }

  /// The result with the limit and the bounds that the incident rests on.
  private var shown: BudgetResult {
    var shown = result
    shown.verdict = test.target == result.target ? .broken : .warning
    shown.value = test.value
    shown.low = test.low
    shown.high = test.high
    shown.confidence = test.confidence
    shown.n = test.n
    return shown
  }

  private var events: Incident.Fact {
    let bad = Decimal.grouped(Int(min(test.badEvents, 9e15)))
    let all = Noun.count(test.n, of: result.metric)
    if result.metric.hasPrefix("sessions.") || result.metric.hasPrefix("users.") {
      let users = test.known > 0 ? ", of at least \(count(test.witnesses, "user"))" : ""
      return Incident.Fact("Evidence", "\(bad) of \(all) crashed\(users)")
    }
    if result.unit == .ratio {
      return Incident.Fact("Evidence", "\(bad) of \(all), in \(count(test.known, "payload"))")
    }
    let limit = Quantity.limit(test.target, result.unit)
    let side = result.direction == .lower ? "above" : "below"
    return result.statistic == nil
      ? Incident.Fact("Evidence", "\(all), at least \(Decimal.grouped(test.witnesses)) of them with such events")
      : Incident.Fact("Evidence", "\(bad) of \(all) \(side) \(limit), in \(count(test.known, "payload"))")
  }

  private func count(_ n: Int, _ noun: String) -> String { "\(Decimal.grouped(n)) \(noun)\(n == 1 ? "" : "s")" }
}

/// Facts that several rules show.
enum Facts {
  /// The release before, and how widely this one is used.
  static func ofRelease(_ metric: String, _ slice: Slice, _ context: RuleContext) -> [Incident.Fact] {
    previous(metric, slice, context) + adoption(slice, context)
  }

  private static func previous(_ metric: String, _ slice: Slice, _ context: RuleContext) -> [Incident.Fact] {
    guard let (comparison, found) = context.comparison(of: metric, on: slice), found.base.n > 0 else { return [] }
    let title = found.statistic.map { " (\($0))" } ?? ""
    let value = Quantity.text(found.base.estimate, found.unit)
    let now = Quantity.text(found.head.estimate, found.unit)
    let days = "\(comparison.window.from.iso) to \(comparison.window.to.iso)"
    let base = "\(comparison.base) had \(value)\(title) and \(comparison.head) \(now) from \(days)"
    guard found.difference != nil else { return [Incident.Fact("Previous release", base)] }
    let change = "\(found.change(found.difference?.value)) (\(found.changeInterval) at 95\u{A0}%)"
    return [Incident.Fact("Previous release", "\(base); like devices: \(change)")]
  }

  private static func adoption(_ slice: Slice, _ context: RuleContext) -> [Incident.Fact] {
    guard let release = slice.release, let known = context.checks.releases.first(where: { $0.title == release }),
      let share = known.adoption
    else { return [] }
    return [
      Incident.Fact("In use", "\(Quantity.share(share)) of the last day's sessions, since \(known.firstSeen.iso)")
    ]
  }
}
