import Analysis
import Core
import Ingest
import Logging
import SQLiteStore
import Storage
import Web

/// The backend of an ingest node's routes. The node is ready while it can store payloads, even if the primary is down.
struct NodeBackend: PayloadBackend {
  let journal: SQLiteJournal
  let relay: NodeRelay
  let refresh: ConfigurationRefresh
  let readiness: Readiness
  let space: SpaceWatch
  let backlog: BacklogWatch
  let control: any ControlStore
  let intake: Intake
  let rows: WriteQuota
  let clock: PlausibleClock
  let access: AccessCache
  let settings: ServerSettings
  let log: ServerLog

  func now() -> Timestamp { clock.now() }

  func knowsEveryKey() -> Bool { refresh.isCurrent }

  func faults() -> [String] {
    var faults = readiness.faults(isDigesting: false)
    if let status = space.status, status.level >= .short, let warning = status.warning { faults.append(warning) }
    if let fault = backlog.fault { faults.append(fault) }
    return faults
  }

  func room() -> DiskRoom {
    var warnings = [space.status?.warning].compactMap { $0 }
    if let failure = relay.status.failure {
      warnings.append("\(ByteSize.text(backlog.bytes)) of records are waiting for the primary: \(failure)")
    }
    return DiskRoom(
      takesPayloads: space.level < .none && !backlog.isFull, isShort: space.level >= .short, takesUploads: false,
      warning: warnings.isEmpty ? nil : warnings.joined(separator: "\n"))
  }

  func storage() -> ServerStatus? {
    var status = ServerStatus(version: BuildVersion.number)
    status.disk = space.status.map {
      ServerStatus.Disk(
        free: $0.space.free, total: $0.space.total, floor: $0.floor, daysLeft: $0.daysLeft, warning: $0.warning)
    }
    return status
  }

  func warnings() -> [String] { [] }

  func rowServers() -> ClickHouseServerStatus? { nil }

  func digestLag() -> Int64? { nil }

  func lastReceived() -> [AppID: Timestamp] { [:] }

  func report(_ error: any Error) { log.errors.add("\(error)") }

  func notice(_ line: String) { log.notices.add(line) }

  /// The metrics of the relay.
  func nodeMetrics() throws -> [MetricFamily] {
    let (status, now) = (relay.status, WallClock.now().milliseconds)
    let waiting = max(0, try journal.lastSequence() - status.position)
    func family(_ name: String, _ help: String, _ value: Double?, type: String = "gauge") -> MetricFamily {
      MetricFamily(name: name, help: help, type: type, samples: value.map { [("", $0)] } ?? [])
    }
    func age(_ time: Timestamp?) -> Double? { time.map { Double(max(0, now - $0.milliseconds)) / 1000 } }
    return [
      family("relay_waiting_records", "Records that the primary has not received.", Double(waiting)),
      family("relay_waiting_bytes", "Bytes of these records in the journal.", Double(backlog.bytes)),
      family("relay_seconds", "Seconds since the primary last answered the relay.", age(status.relayed)),
      family("relay_failing", "Whether the relay's last request failed.", status.failure == nil ? 0 : 1),
      family("relay_failures_total", "Failed requests of the relay.", Double(status.failures), type: "counter"),
      family(
        "relay_set_aside_records_total", "Records that could not be relayed.", Double(status.setAside), type: "counter"),
      family(
        "configuration_seconds", "Seconds since the primary last confirmed apps and keys.", age(refresh.confirmed)),
    ]
  }
}
