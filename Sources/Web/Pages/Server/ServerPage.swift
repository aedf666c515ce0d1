import Analysis
public import Core
public import Storage

/// The page about the server's health: disk, digest, payloads, channels, refusals.
public enum ServerPage: PageDefinition {
  public static let path: PathPattern = "server"
  public static let endpoints = [
    modelEndpoint(
      .init(
        "getServer", "The server's health",
        "The data shown on the server page: disk, digest, payloads, channels. Requires read access to all apps."))
  ]

  public static func breadcrumb(_ page: Page) -> String { "Server" }

  /// Nil in a static export, which has no server.
  public static func load(_ request: PageRequest) throws -> ServerModel? {
    try request.source.serverStatus().map { ServerModel(status: $0, asOf: request.source.now) }
  }

  public static func view(_ model: ServerModel, _ context: PageContext) -> [UInt8] { ServerView.render(model, context) }

  /// Never cached, because the page shows the current state.
  public static func isLasting(_ model: ServerModel) -> Bool { false }
}

extension Page {
  /// The health of the server.
  static let server = Page(ServerPage.self)
}

/// The model of the page about the server.
public struct ServerModel: Sendable {
  let status: ServerStatus
  let asOf: Timestamp
}

extension ServerModel: APIObject {
  public static let fields = Fields<Self>("ServerStatus", "The health of the server, and its disk use.") {
    Field.version(HealthReport.schema)
    Field("version", \.status.version)
    Field("as_of", \.asOf)
    Field("faults", \.status.faults, "The reasons that `/readyz` returns; empty while the server is ready.")
    Field("disk", \.status.disk)
    Field("kinds", \.status.kinds, "Disk use by kind.")
    Field("measured", \.status.measured, "When `kinds` was measured.")
    Field("digest_lag", \.status.digestLag, "Records not digested yet.", schema: .optional(.integer(from: 0)))
    Field("apps", \.status.apps)
    Field("nodes", \.status.nodes, "The ingest nodes, by name.")
    Field("failed_channels", \.status.failedChannels, "Channels that failed to deliver their last message.")
    Field("rejected", \.status.rejected, "Input refused in the last seven days, most frequent first.")
  }
}

extension ServerStatus.Disk: APIObject {
  public static let fields = Fields<Self> {
    Field("free", \.free)
    Field("total", \.total)
    Field("floor", \.floor, "The free bytes below which symbol uploads get 503 and diagnostic bodies are not stored.")
    Field("days_left", \.daysLeft)
    Field("warning", \.warning)
  }
}

extension StoredKind: APIObject {
  public static let fields = Fields<Self> {
    Field("kind", \.name)
    Field("bytes", \.bytes)
    Field("rows", \.rows)
    Field("oldest", \.oldest)
    Field("kept", \.setting)
  }
}

extension ServerStatus.AppArrival: APIObject {
  public static let fields = Fields<Self> {
    Field("app", \.app)
    Field("last_payload", \.lastPayload)
  }
}

extension IngestNode: APIObject {
  public static let fields = Fields<Self> {
    Field("node", \.id.text)
    Field("name", \.name)
    Field("position", \.position)
    Field("heard", \.heard)
  }
}

extension ServerStatus.FailedChannel: APIObject {
  public static let fields = Fields<Self> {
    Field("channel", \.name)
    Field("failure", \.failure)
  }
}

extension ServerStatus.Rejection: APIObject {
  public static let fields = Fields<Self> {
    Field("app", \.app)
    Field("reason", \.reason)
    Field("count", \.count)
  }
}
