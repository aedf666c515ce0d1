import Core
import Foundation
import Logging
import SQLiteStore
import Storage
import Synchronization

/// Collects the health of a server for its page and metrics.
///
/// Storage usage is measured once an hour on the maintenance thread, because that reads every page of the databases.
final class ServerStatusCollector: Sendable {
  private let installation: Installation
  private let pipeline: Pipeline
  private let watch: SpaceWatch
  private let backlog: BacklogWatch
  private let retention: Retention
  private let measured = Mutex<(kinds: [StoredKind], at: Timestamp)?>(nil)

  init(
    _ installation: Installation, _ pipeline: Pipeline, _ watch: SpaceWatch, _ backlog: BacklogWatch,
    _ retention: Retention
  ) {
    self.installation = installation
    self.pipeline = pipeline
    self.watch = watch
    self.backlog = backlog
    self.retention = retention
  }

  /// Measures the storage usage, and stores the day's folder size.
  func measure(now: Timestamp) throws {
    let usage = StorageUsage(installation.folder)
    try pipeline.store.noteSize(usage.size(), on: now.day())
    let kinds = try usage.kinds(retention)
    measured.withLock { $0 = (kinds, now) }
  }

  /// The faults of `/readyz`.
  func faults() -> [String] {
    var faults = pipeline.readiness.faults(isDigesting: pipeline.isDigesting)
    if let status = watch.status, status.level >= .short, let warning = status.warning { faults.append(warning) }
    if let fault = backlog.fault { faults.append(fault) }
    return faults
  }

  /// The disk and its usage, from memory.
  func storage() -> ServerStatus {
    var status = ServerStatus(version: BuildVersion.number)
    status.disk = watch.status.map {
      ServerStatus.Disk(
        free: $0.space.free, total: $0.space.total, floor: $0.floor, daysLeft: $0.daysLeft, warning: $0.warning)
    }
    if let measured = measured.withLock({ $0 }) { (status.kinds, status.measured) = (measured.kinds, measured.at) }
    return status
  }

  /// The complete status, for the server page. Reads a week of counts for each app.
  func status(now: Timestamp, nodes: [IngestNode]) throws -> ServerStatus {
    var status = storage()
    status.nodes = nodes
    status.faults = faults()
    status.digestLag = pipeline.lag()
    let week = Window(days: 7, endingOn: now.day())
    let received = try pipeline.store.lastReceived()
    for app in try installation.control.apps() {
      status.apps.append(ServerStatus.AppArrival(app: app.bundleID, lastPayload: received[app.id]))
      let summary = try pipeline.store.tallySummary(of: app.id, in: week)
      for kind in [TallyKind.rejected, .limited] {
        for count in summary.counts[kind] ?? [] {
          status.rejected.append(ServerStatus.Rejection(app: app.bundleID, reason: count.reason, count: count.count))
        }
      }
    }
    status.rejected.sort { ($0.count, $1.app, $1.reason) > ($1.count, $0.app, $0.reason) }
    status.rejected = Array(status.rejected.prefix(Self.mostRejections))
    var failures: [String: String] = [:]
    for message in try installation.control.pendingMessages() {
      for (channel, delivery) in message.deliveries where delivery.delivered == nil {
        if let failure = delivery.failure { failures[channel] = failure }
      }
    }
    status.failedChannels = failures.sorted { $0.key < $1.key }
      .map { ServerStatus.FailedChannel(name: $0.key, failure: $0.value) }
    return status
  }

  /// The most rejection reasons to list.
  private static let mostRejections = 50
}
