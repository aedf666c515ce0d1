import Core
import Storage

/// The rules about the service itself and about the passing of time. They are evaluated at every run, even without new
/// data.
extension IncidentRules {
  /// A finding about payloads that stopped arriving; nil while the usual interval between payloads is unknown.
  func stale(_ freshness: PayloadFreshness, now: Timestamp) -> Finding? {
    guard let silence = freshness.silence(at: now), let usual = freshness.usualSilence else { return nil }
    let interval = freshness.interval.map { "; before, one came every \(Elapsed.text(minutes: $0))" } ?? ""
    let last = freshness.last.map { [Detail("Last payload", $0.iso)] } ?? []
    return Finding(
      key: BreachKey(.stale), severity: .critical,
      condition: silence > max(usual, thresholds.staleAfter) ? .broken : .within, since: freshness.last,
      evidence: Evidence(
        summary: "no payload for \(Elapsed.text(minutes: Double(silence)))\(interval)", facts: last,
        advice: "Is the server reachable from outside, and the app's key still valid? The data-quality page counts "
          + "what was refused.", headline: "no payload for \(Elapsed.text(minutes: Double(silence)))"))
  }

  /// A finding about records that wait too long for the digest. Both parameters are nil when no record waits.
  func digest(waiting records: Int64?, oldest: Timestamp?, now: Timestamp) -> Finding {
    // Of a journal that holds any time, as versions stored it that did not check what ingest nodes send.
    let minutes = oldest.map { max(0, Double(now.milliseconds) - Double($0.milliseconds)) / 60_000 } ?? 0
    let records = Decimal.grouped(Int(records ?? 0))
    return Finding(
      key: BreachKey(.digest), severity: .critical,
      condition: minutes > Double(thresholds.digestWithin) ? .broken : .within, since: oldest,
      evidence: Evidence(
        summary: "\(records) records are received and not counted, the oldest for \(Elapsed.text(minutes: minutes)): "
          + "numbers and alerts are behind",
        advice: "Does `plumb serve` run, and does its log name an error? Is the disk full?"))
  }

  /// A finding about records and rows that are not in the numbers because they are damaged or lost.
  ///
  /// - Parameters:
  ///   - recent: the number that was set aside within the last day.
  ///   - reasons: the reason of each entry of the last day, newest first.
  func quarantine(_ recent: Int, reasons: [String] = []) -> Finding {
    let isOne = recent == 1
    let summary =
      if recent > 0 {
        "\(Decimal.grouped(recent)) \(isOne ? "record or row" : "records or rows") could not be read or stored and "
          + "\(isOne ? "is" : "are") set aside: not in the numbers"
      } else {
        reasons.first ?? "nothing was set aside within a day"
      }
    return Finding(
      key: BreachKey(.quarantine), severity: .warning,
      condition: recent > 0 || !reasons.isEmpty ? .broken : .within,
      evidence: Evidence(
        summary: summary, facts: reasons.prefix(3).map { Detail("Set aside", $0) },
        advice:
          "`plumb verify` says what is damaged and what to do. The table quarantine of plumb.db has the reason and "
          + "the bytes of each. What is no longer in the journal is lost."))
  }

  /// A finding about the room on the disk. `warning`: what is wrong with it, nil while there is enough. `isShort`: whether
  /// something is no longer stored.
  public func space(_ warning: String?, isShort: Bool) -> Finding {
    Finding(
      key: BreachKey(.space), severity: isShort ? .critical : .warning, condition: warning == nil ? .within : .broken,
      evidence: Evidence(
        summary: warning ?? "the disk has room",
        advice: "`plumb storage` shows what takes it. Shorter retention and `plumb prune` give it back, and so does "
          + "deleting."))
  }

  /// A finding about an app that could not be evaluated. `failure`: the reason; nil if it was evaluated.
  func evaluation(_ failure: String?) -> Finding {
    Finding(
      key: BreachKey(.evaluation), severity: .critical, condition: failure == nil ? .within : .broken,
      evidence: Evidence(
        summary: failure.map { "could not be judged: \($0)" } ?? "is judged again",
        advice: "Until this is fixed, nothing else is noticed here."))
  }
}
