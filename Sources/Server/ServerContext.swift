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
  /// Makes the reader of an app's numbers, with the budgets that apply.
  public var health: @Sendable (App) throws -> HealthReader
  /// Makes the reader of an app's groups of diagnostics.
  public var groups: @Sendable (App) throws -> GroupReader
  /// The folder of uploaded symbols; nil if the server stores none.
  public var symbols: SymbolFolder?
  /// The binaries named in reports of an app's builds.
  public var imagesSeen: @Sendable (App) throws -> [SeenImage]
  /// The number of records that the digest has not applied yet; nil if unknown.
  public var digestLag: @Sendable () -> Int64?
  /// The version of the data behind pages, which differs after every change; nil if unknown.
  public var edition: @Sendable () -> UInt64?
  /// Calls a closure during which all reads see one snapshot of the data.
  public var snapshot: @Sendable (() throws -> Void) throws -> Void
  /// The keyed hash that signs the cookies of known devices.
  public var identity: IdentityHash
  /// The number of rows that each app has written today, and its limit.
  public var rows: RowBudget
  public var settings: ServerSettings
  public var clock: @Sendable () -> Timestamp
  /// Receives every error of the server.
  public var report: @Sendable (any Error) -> Void
  /// Receives lines for the log that are not errors of the server.
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

/// The settings of the HTTP routes.
public struct ServerSettings: Sendable {
  /// The address the server listens on, without its port.
  public var host: String
  /// Whether clients on a loopback address need no login.
  public var isOpen: Bool
  /// The public address of this server.
  public var publicURL: String
  /// The largest body of a payload as sent, in bytes.
  public var bodyLimit: Int
  /// The largest body of a payload after decompression, in bytes; at least `bodyLimit`.
  public var decompressedLimit: Int
  /// The number of requests per second that one app may send.
  public var requestsPerSecond: Int
  /// The largest upload of symbols, in bytes.
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

/// The handler of all HTTP requests.
///
/// HTTP threads read heads and bodies, look keys up in memory and decode small bodies; they never block. Pages and the
/// API run on two workers, on which client addresses take turns. Passwords, large bodies, symbols and the control
/// database have threads of their own.
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

  /// Sets the server whose counters `/metrics` shows. Called once, before requests arrive.
  public func observe(_ server: HTTPServer) { reading.status.observe(server) }

  public func admit(_ head: borrowing RequestHead) -> Admission {
    if let address = IngestAddress(head) {
      return address.isSentry
        ? sentry.admit(head, to: address, at: context.clock()) : ingest.admit(head, to: address, at: context.clock())
    }
    if SymbolUploads.isUpload(head) { return uploads.admit(head, at: context.clock()) }
    return .accept(bodyLimit: Self.formLimit)
  }

  /// Answers requests that were admitted without a responder of their own: pages, the API and forms.
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

  /// The largest body of a form, in bytes.
  private static let formLimit = 8 << 10

  private static let busy = Response.problem(
    503, "Busy", detail: "Too many pages are being made. Try again shortly.", headers: [("Retry-After", "2")]
  ).prepared()
}
