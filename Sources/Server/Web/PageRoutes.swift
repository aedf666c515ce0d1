import Compression
import HTTP
import Pages
import Storage
import Telemetry

/// Answers requests to pages and their API, as `PageList` defines them.
struct PageRoutes {
  private let context: ServerContext
  private let page: PageContext

  init(_ context: ServerContext, isSignedIn: Bool) {
    self.context = context
    page = PageContext(isSignedIn: isSignedIn, serverURL: context.settings.publicURL)
  }

  /// The page or its data; nil if there is nothing at the address.
  func content(of request: RequestSnapshot, at now: Timestamp) throws -> PageContent? {
    let source = PageSource(context, at: now)
    if request.segments.first == "api" { return try APIRoutes(context: context, source: source).content(of: request) }
    return try PageList.content(at: request.segments, source, page, parameters: request.query)
  }
}

extension PageSource {
  /// The data source of pages on a running server.
  init(_ context: ServerContext, at now: Timestamp) {
    let control = context.control
    self.init(
      now: now, apps: control.apps, app: control.app(bundleID:), health: context.health, groups: context.groups,
      incidents: { try control.incidents(of: nil, closedAfter: $0) },
      openIncidents: { try control.alertState(of: $0.id).open },
      body: { sample in
        try sample.body.withUnsafeBytes { try Compression.decompress(zstd: $0, limit: sample.size) }
      })
  }
}
