import Analysis
import Core
import Storage

/// The page about the server's own health: disk, digest, payloads, channels, refusals.
public enum ServerPage: PageDefinition {
  public static let path: PathPattern = "server"
  public static let endpoints = [modelEndpoint(hasTable: false)]

  public static func breadcrumb(_ page: Page) -> String { "Server" }

  /// Nothing in a static export, which has no server.
  public static func load(_ request: PageRequest) throws -> ServerModel? {
    try request.source.serverStatus().map { ServerModel(status: $0, asOf: request.source.now) }
  }

  public static func view(_ model: ServerModel, _ context: PageContext) -> [UInt8] { ServerView.render(model, context) }

  public static func data(_ model: ServerModel) -> PageData? { .json(model.json) }

  /// Never from the cache: it is about this moment.
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

  func json() -> [UInt8] {
    let disk: JSONOutput =
      status.disk.map { disk in
        .object([
          ("free", .count(disk.free)), ("total", .count(disk.total)), ("floor", .count(disk.floor)),
          ("days_left", .optional(disk.daysLeft)), ("warning", .optional(disk.warning)),
        ])
      } ?? .null
    return JSONOutput.object([
      ("schema", .count(1)), ("version", .string(status.version)), ("as_of", .string(asOf.iso)),
      ("faults", .array(status.faults.map { .string($0) })), ("disk", disk),
      (
        "kinds",
        .array(
          status.kinds.map { kind in
            .object([
              ("kind", .string(kind.name)), ("bytes", .count(kind.bytes)),
              ("rows", .optional(kind.rows.map(Double.init))),
              ("oldest", .optional(kind.oldest?.iso)), ("kept", .optional(kind.setting)),
            ])
          })
      ),
      ("measured", .optional(status.measured?.iso)),
      ("digest_lag", .optional(status.digestLag.map(Double.init))),
      (
        "apps",
        .array(
          status.apps.map {
            .object([("app", .string($0.app)), ("last_payload", .optional($0.lastPayload?.iso))])
          })
      ),
      (
        "nodes",
        .array(
          status.nodes.map {
            .object([
              ("node", .string($0.id.text)), ("name", .string($0.name)), ("position", .integer($0.position)),
              ("heard", .string($0.heard.iso)),
            ])
          })
      ),
      (
        "failed_channels",
        .array(
          status.failedChannels.map {
            .object([("channel", .string($0.name)), ("failure", .string($0.failure))])
          })
      ),
      (
        "rejected",
        .array(
          status.rejected.map {
            .object([("app", .string($0.app)), ("reason", .string($0.reason)), ("count", .count($0.count))])
          })
      ),
    ]).encoded() + [UInt8(ascii: "\n")]
  }
}
