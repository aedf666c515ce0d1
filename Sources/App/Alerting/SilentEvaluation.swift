import Analysis
public import Core
import Outbound
import Storage

/// Evaluates the alert rules while made-up data are stored, at made-up times, so that incidents begin and end when the
/// data say so. Sends no messages.
public struct SilentEvaluation {
  private let installation: Installation
  private let service: AlertService
  private let pipeline: Pipeline

  public init(_ installation: Installation, _ pipeline: Pipeline) {
    self.installation = installation
    self.pipeline = pipeline
    service = AlertService(
      installation, pipeline.store, BudgetRepository(installation.folder, file: nil),
      thresholds: AlertThresholds(), publicURL: nil, channels: AlertSettings())
  }

  /// Evaluates every app as of `now`, after everything that was received is digested.
  public func evaluate(now: Timestamp) throws {
    try pipeline.waitUntilDigested()
    for app in try installation.control.apps() {
      if let failure = try service.evaluate(app, now: now).failure { throw failure }
    }
    for message in try installation.control.pendingMessages() {
      try installation.control.settle(message.identifier, at: now)
    }
  }
}
