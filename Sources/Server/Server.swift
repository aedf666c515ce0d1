public import Access
public import HTTP
public import Health
public import Intake
public import Storage
public import Symbols
public import Telemetry

/// The dependencies of the routes: stores, readers, settings, clock and log.
public struct ServerContext: Sendable {
  public var control: any ControlStore
  public var access: AccessCache
  public var intake: Intake
  /// Numbers with the budgets that are in force for an app.
  public var health: @Sendable (App) throws -> HealthReader
  /// Groups of an app's diagnostics.
  public var groups: @Sendable (App) throws -> GroupReader
  /// Uploaded symbols; nil when the server keeps none.
  public var symbols: SymbolFolder?
  /// The binaries that reports of an app's builds named.
  public var imagesSeen: @Sendable (App) throws -> [SeenImage]
  /// Records that the digest has not applied yet; nil when unknown.
  public var digestLag: @Sendable () -> Int64?
  /// The version of the data behind pages: another number after every change. Nil when unknown.
  public var edition: @Sendable () -> UInt64?
  /// Answers whatever is asked within from one state of the data.
  public var snapshot: @Sendable (() throws -> Void) throws -> Void
  /// Hashes under the data folder's secret, which cookies of known devices are signed with.
  public var identity: IdentityHash
  /// How many rows apps have written today.
  public var rows: RowBudget
  public var settings: ServerSettings
  public var clock: @Sendable () -> Timestamp
  /// Called with every error on the server's side.
  public var report: @Sendable (any Error) -> Void
  /// Called with what deserves a line in the log but is not an error of the server.
  public var notice: @Sendable (String) -> Void

  public init(
    control: any ControlStore, access: AccessCache, intake: Intake,
    health: @escaping @Sendable (App) throws -> HealthReader,
    groups: @escaping @Sendable (App) throws -> GroupReader, digestLag: @escaping @Sendable () -> Int64?,
    symbols: SymbolFolder? = nil, imagesSeen: @escaping @Sendable (App) throws -> [SeenImage] = { _ in [] },
    edition: @escaping @Sendable () -> UInt64?,
    snapshot: @escaping @Sendable (() throws -> Void) throws -> Void, identity: IdentityHash, rows: RowBudget,
    settings: ServerSettings,
    clock: @escaping @Sendable () -> Timestamp,
    report: @escaping @Sendable (any Error) -> Void, notice: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.identity = identity
    self.rows = rows
    self.notice = notice
    self.control = control
    self.access = access
    self.intake = intake
    self.health = health
    self.groups = groups
    self.digestLag = digestLag
    self.edition = edition
    self.snapshot = snapshot
    self.symbols = symbols
    self.imagesSeen = imagesSeen
    self.settings = settings
    self.clock = clock
    self.report = report
  }
}

/// The settings of a server.
public struct ServerSettings: Sendable {
  /// The address the server listens on, without its port.
  public var host: String
  /// Loopback readers need no login.
  public var isOpen: Bool
  /// Where people reach this server.
  public var publicURL: String
  /// The greatest body of a payload as it is sent, in bytes.
  public var bodyLimit: Int
  /// The greatest body of a payload once it is decompressed, in bytes; at least `bodyLimit`.
  public var decompressedLimit: Int
  /// Requests a second that one app may send.
  public var requestsPerSecond: Int
  /// The greatest body of an upload of symbols, in bytes.
  public var uploadLimit: Int
  /// Proxies whose `X-Forwarded-For` is trusted.
  public var trustedProxies: TrustedProxies

  public init(
    host: String, isOpen: Bool, publicURL: String, bodyLimit: Int = 4 << 20,
    decompressedLimit: Int = 16 << 20, requestsPerSecond: Int = 50_000, uploadLimit: Int = 2 << 30,
    trustedProxies: TrustedProxies = TrustedProxies()
  ) {
    self.host = host
    self.isOpen = isOpen
    self.publicURL = publicURL
    self.bodyLimit = bodyLimit
    self.decompressedLimit = max(bodyLimit, decompressedLimit)
    self.requestsPerSecond = requestsPerSecond
    self.uploadLimit = uploadLimit
    self.trustedProxies = trustedProxies
  }
}

/// Plumb's routes. An HTTP thread reads heads and bytes, looks keys up in memory, decodes small bodies and hands over all
/// else; it never waits. Pages and the API are made by two workers, where addresses take turns; passwords, large bodies,
/// symbols and the control database have threads of their own.
public final class PlumbHandler: RequestHandler {
  private let context: ServerContext
  private let ingest: IngestRoute
  private let sentry: SentryRoute
  private let reading: WebRoutes
  private let uploads: SymbolUploads
  private let refresher: AccessRefresher
  private let pages = FairQueue<ClientAddress?>(label: "plumb.pages", threads: 2, limit: 256)

  public init(_ context: ServerContext) {
    self.context = context
    refresher = AccessRefresher(context.access)
    ingest = IngestRoute(context, refresher)
    sentry = SentryRoute(
      beside: ingest, requestsPerSecond: context.settings.requestsPerSecond, proxies: context.settings.trustedProxies)
    reading = WebRoutes(context, refresher)
    uploads = SymbolUploads(context, refresher)
  }

  /// The counters of a running server, for `/metrics`. Set once, before requests come in.
  public func observe(_ server: HTTPServer) { reading.status.observe(server) }

  public func admit(_ head: borrowing RequestHead) -> Admission {
    if let address = IngestAddress(head) {
      return address.isSentry
        ? sentry.admit(head, to: address, at: context.clock()) : ingest.admit(head, to: address, at: context.clock())
    }
    if SymbolUploads.isUpload(head) { return uploads.admit(head, at: context.clock()) }
    return .accept(bodyLimit: Self.formLimit)
  }

  /// Answers what was admitted without a responder of its own: pages, the API, forms.
  public func respond(to request: borrowing Request, _ reply: Reply) {
    if let cached = reading.cached(request.head) { return reply.send(cached) }
    let snapshot = request.snapshot()
    if LoginRoutes.isAttempt(request.head) { return reading.login.attempt(snapshot, reply) }
    let reading = self.reading
    let isTaken = pages.run(for: context.settings.trustedProxies.client(of: snapshot)?.network) {
      if reply.isOwed { reply.send(reading.response(to: snapshot)) }
    }
    if !isTaken { reply.send(Self.busy) }
  }

  public func defaultResponses(to head: borrowing RequestHead) -> DefaultResponses {
    IngestAddress(head)?.answers.defaultResponses ?? .standard
  }

  /// The greatest body of a form, in bytes.
  private static let formLimit = 8 << 10

  private static let busy = Response.problem(
    503, "Busy", detail: "Too many pages are being made. Try again shortly.", headers: [("Retry-After", "2")]
  ).prepared()
}
