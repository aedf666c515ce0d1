import Compression
import HTTP
import Pages
import Storage
import Telemetry

/// Answers requests to pages and their API, as `PageList` defines them.
struct PageRoutes {
  private let context: ServerContext
  private let page: PageContext
  private let summaries: SummaryCache
  private let versions: AppVersions?

  /// `versions`: read before the snapshot of the data in which `content` is called.
  init(_ context: ServerContext, _ summaries: SummaryCache, _ versions: AppVersions?, isSignedIn: Bool) {
    self.context = context
    self.summaries = summaries
    self.versions = versions
    var page = PageContext(isSignedIn: isSignedIn, serverURL: context.settings.publicURL)
    page.serverWarning = context.room().warning
    self.page = page
  }

  /// The page or its data; nil if there is nothing at the address.
  func content(of request: RequestSnapshot, at now: Timestamp) throws -> PageContent? {
    let source = PageSource(context, at: now) { [summaries, versions] app, read in
      try summaries.summary(of: app, versions, at: now, read)
    }
    if request.segments.first == "api" { return try APIRoutes(context: context, source: source).content(of: request) }
    return try PageList.content(at: request.segments, source, page, parameters: request.query)
  }
}

extension PageSource {
  /// The data source of pages on a running server.
  fileprivate init(
    _ context: ServerContext, at now: Timestamp,
    summary: @escaping (App, () throws -> AppSummary) throws -> AppSummary
  ) {
    let control = context.control
    self.init(
      now: now, apps: control.apps, app: control.app(bundleID:), health: context.health, groups: context.groups,
      incidents: { try control.incidents(of: nil, closedAfter: $0) },
      openIncidents: { try control.alertState(of: $0.id).open }, summary: summary,
      serverStatus: context.status,
      body: { sample in
        try sample.body.withUnsafeBytes { try Compression.decompress(zstd: $0, limit: sample.size) }
      })
  }
}
