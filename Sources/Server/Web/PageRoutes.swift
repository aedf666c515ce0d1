import Access
import Compression
import HTTP
import Pages
import Storage
import Telemetry

/// Answers requests to pages and their API, as `PageList` defines them.
struct PageRoutes {
  private let context: ServerContext
  private let reader: ReadAccess.Reader
  private let summaries: SummaryCache
  private let versions: AppVersions?

  /// `versions`: read before the snapshot of the data in which `content` is called.
  init(_ context: ServerContext, _ summaries: SummaryCache, _ versions: AppVersions?, _ reader: ReadAccess.Reader) {
    self.context = context
    self.summaries = summaries
    self.versions = versions
    self.reader = reader
  }

  /// The page or its data; nil if there is nothing at the address. `openIncidents`: the number of open incidents of the
  /// app with a bundle identifier.
  func content(
    of request: RequestSnapshot, at now: Timestamp, openIncidents: (String) throws -> Int
  ) throws -> PageContent? {
    let source = PageSource(context, reader.permission, at: now) { [summaries, versions] app, read in
      try summaries.summary(of: app, versions, at: now, read)
    }
    if request.segments.first == "api" { return try APIRoutes(context, source, reader).content(of: request) }
    if let icon = try source.icon(at: request.segments) { return icon }
    var page = reader.page(context, canEdit: try canEdit(request.segments))
    page.identities = try source.identities(at: request.segments)
    if request.segments.count > 1, request.segments[0] == "apps" {
      page.openIncidents = try openIncidents(request.segments[1])
    }
    return try PageList.content(at: request.segments, source, page, parameters: request.query)
  }

  /// Whether the pages of an app offer to decide about its groups.
  private func canEdit(_ segments: [String]) throws -> Bool {
    guard reader.isSignedIn, segments.count > 1, segments[0] == "apps",
      let app = try context.control.app(bundleID: segments[1])
    else { return false }
    return reader.permission.allows(.edit, on: app.id)
  }
}

extension PageSource {
  /// The data source of pages on a running server: only the apps that the client may read exist in it.
  fileprivate init(
    _ context: ServerContext, _ permission: Permission, at now: Timestamp,
    summary: @escaping (App, () throws -> AppSummary) throws -> AppSummary
  ) {
    let control = context.control
    self.init(
      now: now, apps: { try control.apps().filter { permission.allows(.read, on: $0.id) } },
      app: { try control.app(bundleID: $0).flatMap { permission.allows(.read, on: $0.id) ? $0 : nil } },
      health: context.health, groups: context.groups,
      incidents: {
        // Incidents of the whole installation are for readers of all apps: their texts may name any.
        try control.incidents(of: nil, closedAfter: $0).filter { permission.allows(.read, on: $0.app) }
      },
      openIncidents: { try control.alertState(of: $0.id).open },
      silences: { app in try control.silences(at: now).filter { $0.app == nil || $0.app == app.id } },
      deliveries: control.lastDeliveries, summary: summary,
      // The status names every app.
      serverStatus: { permission.allows(.read) ? try context.status() : nil },
      appStoreFigures: { try control.appStoreFigures(of: $0.id) }, icon: { try control.icon(of: $0.id) },
      body: { sample in
        try sample.body.withUnsafeBytes { try Compression.decompress(zstd: $0, limit: sample.size) }
      })
  }
}
