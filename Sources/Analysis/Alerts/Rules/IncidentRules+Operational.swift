import Core
import Storage

/// The rules about the service itself and about elapsed time. Every run evaluates them, even without new data.
extension IncidentRules {
  /// A finding about payloads that stopped arriving; nil if the usual interval between payloads is unknown.
  func stale(_ freshness: PayloadFreshness, now: Timestamp) -> Finding? {
    guard let silence = freshness.silence(at: now), let usual = freshness.usualSilence else { return nil }
    let interval = freshness.interval.map { "; before, one arrived every \(Elapsed.text(minutes: $0))" } ?? ""
    let last = freshness.last.map { [Detail("Last payload", $0.iso)] } ?? []
    return Finding(
      key: BreachKey(.stale), severity: .critical,
      condition: silence > max(usual, thresholds.staleAfter) ? .broken : .within, since: freshness.last,
      evidence: Evidence(
        summary: "no payload for \(Elapsed.text(minutes: Double(silence)))\(interval)", facts: last,
        advice: "Check that the server is reachable from outside and that the app's key is valid. The data-quality "
          + "page counts refused payloads.", headline: "no payload for \(Elapsed.text(minutes: Double(silence)))"))
  }

  /// A finding about records that wait too long for the digest. Both parameters are nil when no record waits.
  func digest(waiting records: Int64?, oldest: Timestamp?, now: Timestamp) -> Finding {
    // Older versions did not check records of ingest nodes, so the journal may contain any time.
    let minutes = oldest.map { max(0, Double(now.milliseconds) - Double($0.milliseconds)) / 60_000 } ?? 0
    let records = Decimal.grouped(Int(records ?? 0))
    return Finding(
      key: BreachKey(.digest), severity: .critical,
      condition: minutes > Double(thresholds.digestWithin) ? .broken : .within, since: oldest,
      evidence: Evidence(
        summary: "\(records) records wait for the digest, the oldest for \(Elapsed.text(minutes: minutes)): "
          + "metrics and alerts are behind",
        advice: "Check that `plumb serve` is running, that its log has no errors, and that the disk is not full."))
  }

  /// A finding about records and rows that are missing from the metrics because they are damaged or lost.
  ///
  /// - Parameters:
  ///   - recent: the number quarantined within the last day.
  ///   - reasons: the reason of each entry of the last day, newest first.
  func quarantine(_ recent: Int, reasons: [String] = []) -> Finding {
    let isOne = recent == 1
    let summary =
      if recent > 0 {
        "\(Decimal.grouped(recent)) \(isOne ? "record or row" : "records or rows") could not be read or stored and "
          + "\(isOne ? "is" : "are") quarantined: metrics do not include \(isOne ? "it" : "them")"
      } else {
        reasons.first ?? "nothing was quarantined within the last day"
      }
    return Finding(
      key: BreachKey(.quarantine), severity: .warning,
      condition: recent > 0 || !reasons.isEmpty ? .broken : .within,
      evidence: Evidence(
        summary: summary, facts: reasons.prefix(3).map { Detail("Quarantined", $0) },
        advice:
          "Run `plumb verify`; it lists the damage and what to do. The table quarantine in plumb.db holds the reason "
          + "and the bytes of each record. Records that are no longer in the journal are lost."))
  }

  /// A finding about free disk space. `warning`: the problem; nil if there is enough space. `isShort`: whether some
  /// data are no longer stored.
  public func space(_ warning: String?, isShort: Bool) -> Finding {
    Finding(
      key: BreachKey(.space), severity: isShort ? .critical : .warning, condition: warning == nil ? .within : .broken,
      evidence: Evidence(
        summary: warning ?? "the disk has enough free space",
        advice: "Run `plumb storage` to see what uses the space. To free it, shorten retention and run `plumb prune`, "
          + "or delete data."))
  }

  /// A finding about an app that could not be evaluated. `failure`: the reason; nil if it was evaluated.
  func evaluation(_ failure: String?) -> Finding {
    Finding(
      key: BreachKey(.evaluation), severity: .critical, condition: failure == nil ? .within : .broken,
      evidence: Evidence(
        summary: failure.map { "could not be judged: \($0)" } ?? "is judged again",
        advice: "Fix this first. Until then, no other alerts about the app's data are sent."))
  }
}
