public import Analysis
public import Core
public import Storage

/// The source that pages read from. `HealthReader` and `GroupReader` hide their stores, so that pages cannot use them.
public protocol PageSource {
  /// The time of the request.
  var now: Timestamp { get }
  /// The apps that the client may read.
  func apps() throws -> [App]
  /// The app with a bundle identifier; nil if there is none that the client may read.
  func app(_ bundleID: String) throws -> App?
  func health(of app: App) throws -> HealthReader
  func groups(of app: App) throws -> GroupReader
  /// The incidents of all apps that are open, or were closed after a time.
  func incidents(closedAfter time: Timestamp) throws -> [Incident]
  /// The open incidents of one app.
  func openIncidents(of app: App) throws -> [Incident]
  /// The silences of an app's alerts that have not ended, including silences of all apps.
  func silences(of app: App) throws -> [Silence]
  /// The delivery state of the last message about each incident, by incident and channel.
  func deliveries() throws -> [String: [String: DeliveryState]]
  /// The answer to a question about an app: a cached one that is still current, or else the result of `read`. The
  /// question must name everything that the answer depends on, other than the app's data and settings. `staleFor`: how
  /// many milliseconds an answer may be given although new data of the app arrived.
  func answer<Answer: Sendable>(
    to question: [String], about app: App, staleFor: Int64, _ read: () throws -> Answer
  ) throws -> Answer
  /// The health of the server; nil for a static export.
  func serverStatus() throws -> ServerStatus?
  /// An app's numbers from App Store Connect.
  func appStoreFigures(of app: App) throws -> [AppStoreFigure]
  /// An app's goals, insights and signatures from App Store Connect.
  func appStoreNotes(of app: App) throws -> AppStorePerformance
  /// An app's runs of performance tests on the main line, with only the series that should foretell a metric.
  func labRuns(of app: App, foretelling metric: String) throws -> [LabRun]
  /// The bytes of an app's icon, a PNG; nil without one.
  func icon(of app: App) throws -> [UInt8]?
  /// The body of a diagnostic as the client sent it.
  func body(of sample: StoredSample) throws -> [UInt8]
}

extension PageSource {
  /// The same with an answer about the newest data.
  func answer<Answer: Sendable>(to question: [String], about app: App, _ read: () throws -> Answer) throws -> Answer {
    try answer(to: question, about: app, staleFor: 0, read)
  }
}
