import Core
import Storage
import Synchronization

/// Liveness (`/healthz`), readiness (`/readyz`), and the server's own metrics for Prometheus (`/metrics`).
final class StatusRoutes: Sendable {
  private let backend: any PayloadBackend
  /// Checks access to `/metrics` of a primary; nil on an ingest node.
  private let access: ReadAccess?
  private let server = Mutex<HTTPServer?>(nil)

  private let refresher: AccessCacheRefresher

  init(_ backend: any PayloadBackend, _ refresher: AccessCacheRefresher, _ access: ReadAccess?) {
    (self.backend, self.refresher, self.access) = (backend, refresher, access)
  }

  func observe(_ server: HTTPServer) { self.server.withLock { $0 = server } }

  /// The response to a liveness check. Never blocks.
  func health(_ call: RoutedRequest) -> Response { Self.healthy }

  /// The response to a readiness check: ready if the last read of the control database, the last append to the journal
  /// and the last flush of the digest succeeded; otherwise its body has the reasons. Starts a read of the control
  /// database for the next check and does not block.
  func readiness(_ call: RoutedRequest) -> Response {
    refresher.refreshIfDue(at: backend.now())
    let faults = (refresher.isReadable ? [] : ["The control database cannot be read"]) + backend.faults()
    guard !faults.isEmpty else {
      let warnings = [backend.room().warning].compactMap(\.self) + backend.warnings()
      return warnings.isEmpty
        ? Self.ready : Self.text(200, "ready\n" + warnings.map { $0 + "\n" }.joined()).prepared()
    }
    return Self.text(503, faults.map { $0 + "\n" }.joined()).prepared()
  }

  private static let healthy = text(200, "ok\n").prepared()
  private static let ready = text(200, "ready\n").prepared()

  /// The metrics of a primary, for readers of all apps.
  func metrics(_ call: RoutedRequest) throws -> Response {
    let request = call.request
    guard let reader = try access?.reader(of: request, at: backend.now()) else {
      return ErrorResponses(request).unauthorized
    }
    guard !reader.permission.isEmpty else { return ErrorResponses(request).forbidden(ReadAccess.withoutRole) }
    guard reader.permission.allows(.read) else {
      return ErrorResponses(request).forbidden("The server's own metrics require a token for all apps.")
    }
    return metrics()
  }

  /// The metrics of an ingest node, where only tokens give access.
  func nodeMetrics(_ call: RoutedRequest) -> Response {
    let text = call.request.header("Authorization").flatMap(IngestHeaders.bearer)
    guard let text, let token = backend.access.token(text, at: backend.now()),
      Permission(token, at: backend.now())?.allows(.read) == true
    else { return Self.unauthorized }
    return metrics()
  }

  private static let unauthorized = Response.problem(
    401, "Read token needed",
    detail: "Send a read token of the primary for all apps as `Authorization: Bearer TOKEN`.",
    headers: [("WWW-Authenticate", "Bearer")]
  ).prepared()
  static let busy = Response.problem(503, "Busy", headers: [("Retry-After", "2")]).prepared()

  /// The server's metrics in the Prometheus text format.
  private func metrics() -> Response {
    var text = ""
    func add(_ name: String, _ help: String, _ type: String, _ samples: [(labels: String, value: Int64)]) {
      let samples = samples.map { (labels: $0.labels, value: Double($0.value)) }
      text += MetricFamily(name: name, help: help, type: type, samples: samples).text
    }
    if let counters = server.withLock({ $0?.counters }) {
      add(
        "http_responses_total", "Responses by status class.", "counter",
        [
          ("{class=\"2xx\"}", Int64(counters.successful)), ("{class=\"3xx\"}", Int64(counters.redirected)),
          ("{class=\"4xx\"}", Int64(counters.clientErrors)), ("{class=\"5xx\"}", Int64(counters.serverErrors)),
        ])
      add(
        "http_refused_total", "Requests refused before their body was used.", "counter", [("", Int64(counters.refused))]
      )
      add(
        "http_deadline_total", "Connections closed at the deadline.", "counter",
        [("", Int64(counters.closedAtDeadline))])
      add(
        "http_evicted_total", "Idle connections closed to make room.", "counter", [("", Int64(counters.evicted))])
      add(
        "http_refused_connections_total", "Connections refused because their address has too many.", "counter",
        [("", Int64(counters.refusedConnections))])
      add("http_connections", "Open connections.", "gauge", [("", Int64(counters.connections))])
      add("http_body_bytes", "Bytes of bodies in flight.", "gauge", [("", Int64(counters.bodiesInFlight))])
    }
    text += ServerMetrics(backend).families(isControlReadable: refresher.isReadable).map(\.text).joined()
    addStorage(backend.storage(), add)
    if let servers = backend.rowServers() { addRowServers(servers, add) }
    if let lag = backend.digestLag() { add("digest_lag_records", "Records not yet digested.", "gauge", [("", lag)]) }
    return Response(
      status: 200, headers: [("Content-Type", MetricFamily.mediaType)], body: Array(text.utf8))
  }

  /// Adds the metrics of the servers with the rows, and of rows that wait for them.
  private func addRowServers(
    _ status: ClickHouseServerStatus, _ add: (String, String, String, [(labels: String, value: Int64)]) -> Void
  ) {
    func byShard(_ value: (ClickHouseServerStatus.Shard) -> Int64) -> [(labels: String, value: Int64)] {
      status.shards.map { (MetricFamily.labels([("shard", $0.name)]), value($0)) }
    }
    add(
      "shard_up", "Whether a ClickHouse server accepted rows at the last attempt.", "gauge",
      byShard { $0.failure == nil ? 1 : 0 })
    add(
      "shard_waiting_blocks", "Blocks that were sent to a server and are not yet known to be stored.", "gauge",
      byShard { Int64($0.waitingBlocks) })
    add(
      "outbox_waiting_blocks", "Blocks of rows that wait in the outbox.", "gauge", [("", Int64(status.waitingBlocks))])
    add("outbox_waiting_bytes", "Bytes of waiting blocks on disk.", "gauge", [("", Int64(status.waitingBytes))])
    add("outbox_stored_blocks_total", "Blocks of rows stored.", "counter", [("", Int64(status.storedBlocks))])
    add(
      "outbox_lost_blocks_total", "Blocks that a server lost and that were sent again.", "counter",
      [("", Int64(status.lostBlocks))])
    add(
      "outbox_last_stored_timestamp_seconds", "When rows were last stored.", "gauge",
      status.lastStored.map { [("", $0.milliseconds / 1000)] } ?? [])
  }

  /// Adds disk space and its use. Unknown values have no sample.
  private func addStorage(
    _ status: ServerStatus?, _ add: (String, String, String, [(labels: String, value: Int64)]) -> Void
  ) {
    func gauge(_ name: String, _ help: String, _ value: Int64?) {
      add(name, help, "gauge", value.map { [("", $0)] } ?? [])
    }
    let disk = status?.disk
    gauge("disk_free_bytes", "Free bytes of the data folder's file system.", disk.map { Int64($0.free) })
    gauge("disk_size_bytes", "Size of the data folder's file system.", disk.map { Int64($0.total) })
    gauge("disk_floor_bytes", "Free bytes below which writing is reduced.", disk.map { Int64($0.floor) })
    gauge("disk_days_left", "Days until the floor is reached at last week's growth.", disk?.daysLeft.map { Int64($0) })
    let kinds = (status?.kinds ?? []).map { (MetricFamily.labels([("kind", $0.name)]), Int64($0.bytes)) }
    add("stored_bytes", "Stored bytes by kind of data.", "gauge", kinds)
  }

  private static func text(_ status: Int, _ text: String) -> Response {
    Response(status: status, headers: [("Content-Type", "text/plain; charset=utf-8")], body: Array(text.utf8))
  }
}
