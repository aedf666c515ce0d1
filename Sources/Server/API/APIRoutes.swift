import Compression
import HTTP
import Health
import Storage
import Symbols
import Telemetry

/// Addresses below `/api/v1` → answers. Every number comes from the function that the pages and commands ask, too.
struct APIRoutes {
  let context: ServerContext

  /// Nil when there is nothing at the address, or no data for it.
  func content(of request: RequestSnapshot, at now: Timestamp) throws -> PageRoutes.Content? {
    guard let address = APIAddress(request.segments) else { return nil }
    try APIParameters.check(request.query, of: address)
    let format = address.hasTable ? try APIFormat(request) : .json
    switch address {
    case .apps:
      let overview = try overview(at: now)
      return .json(overview.json())
    case .diagnostic(let app, let number): return try diagnostic(number, of: app)
    case .diagnostics(let app): return try diagnostics(of: app, request, format)
    case .groups(let app):
      let query = try ReportQuery(parameter: request.query)
      let kind = try DiagnosticParameters.kind(request)
      let limit = try DiagnosticParameters.limit(request, most: GroupList.most)
      return try grouped(app) { try .api($1.groups($0, query, kind: kind, limit: limit, now: now), format) }
    case .group(let app, let id):
      let query = try ReportQuery(parameter: request.query)
      return try (try grouped(app) { try $1.group($0, named: id, query, now: now) } ?? nil).map { try .api($0, format) }
    case .impact(let app, let release):
      let query = try ReportQuery(parameter: request.query)
      return (try grouped(app) { try $1.impact($0, release: release, query, now: now) } ?? nil).map {
        .json($0.json(app: app))
      }
    case .metric(let app, let name):
      let query = try ReportQuery(parameter: request.query)
      let page = try judged(app) { try $1.metricPage($0, metric: name, query, now: now) } ?? nil
      return try page.map { try .api($0, format) }
    case .compare(let app):
      let comparison = try ComparisonRequest(request)
      return try judged(app) { try .api(comparison.comparison(of: $0, $1, at: now), format) }
    case .alerts(nil):
      let alerts = try AlertList.read(context.control, app: nil, now: now)
      return .json(alerts.json())
    case .alerts(let app?):
      return try known(app) { app, _ in
        let alerts = try AlertList.read(context.control, app: app, now: now)
        return .json(alerts.json())
      }
    case .symbols(nil):
      guard let symbols = context.symbols else { return nil }
      let list = SymbolJSON.list(symbols.all(), limit: symbols.limit)
      return .fresh(list)
    case .symbols(let app?): return try coverage(of: app)
    case .release(let app, let name):
      let query = try ReportQuery(parameter: request.query)
      let page = try judged(app) { try $1.releasePage($0, release: name, query, now: now) } ?? nil
      return try page.map { try .api($0, format) }
    case .setup(let app):
      return try known(app) { app, health in
        let setup = try health.setupPage(app, now: now)
        return .json(setup.json())
      }
    case .report(let app), .metrics(let app), .releases(let app), .breakages(let app), .sessions(let app),
      .exits(let app), .budgets(let app), .budgetSlices(let app), .checklist(let app), .dataQuality(let app):
      return try numbers(address, of: app, try ReportQuery(parameter: request.query), format, at: now)
    }
  }

  private func coverage(of id: String) throws -> PageRoutes.Content? {
    guard let symbols = context.symbols, let app = try context.control.app(bundleID: id) else { return nil }
    let coverage = SymbolCoverage.of(try context.imagesSeen(app)) { symbols.symbols(uuid: $0) != nil }
    let json = SymbolJSON.coverage(coverage, app: app.bundleID)
    return .fresh(json)
  }

  private func overview(at now: Timestamp) throws -> Overview {
    Overview(apps: try context.control.apps().map { try context.health($0).summary($0, now: now) }, asOf: now)
  }

  private func numbers(
    _ address: APIAddress, of id: String, _ query: ReportQuery, _ format: APIFormat, at now: Timestamp
  ) throws -> PageRoutes.Content? {
    if case .dataQuality = address { return try known(id) { try .api($1.dataQuality($0, query, now: now), format) } }
    return try judged(id) { app, health in
      switch address {
      case .metrics: try .api(MetricList(try health.report(app, query, now: now)), format)
      case .releases: try .api(ReleaseList(try health.report(app, query, now: now)), format)
      case .budgets:
        try .api(
          BudgetList(
            app: app.bundleID, results: try health.check(app, query, now: now),
            incidents: try context.control.alertState(of: app.id).open), format)
      case .breakages: try .api(BreakageList(try health.appPage(app, query, now: now)), format)
      case .sessions: try .api(try health.sessionPage(app, query, now: now), format)
      case .exits: try .api(try health.exitPage(app, query, now: now), format)
      case .budgetSlices: try .api(try health.budgetPage(app, query, now: now), format)
      case .checklist: try .api(try health.checklist(app, query, now: now), format)
      default: try .report(health.report(app, query, now: now))
      }
    }
  }

  private func diagnostics(
    of id: String, _ request: RequestSnapshot, _ format: APIFormat
  ) throws -> PageRoutes.Content? {
    let parameters = try DiagnosticParameters(request)
    return try known(id) { try .api(parameters.list($0, $1), format) }
  }

  private func diagnostic(_ number: String, of id: String) throws -> PageRoutes.Content? {
    guard let number = Int64(number) else { return nil }
    return try known(id) { app, health in
      try health.sample(app, number: number).map { sample in
        let body = try sample.body.withUnsafeBytes { try Compression.decompress(zstd: $0, limit: sample.size) }
        return .json(body)
      }
    } ?? nil
  }

  private func grouped<Answer>(_ id: String, _ answer: (App, GroupReader) throws -> Answer) throws -> Answer? {
    try known(id) { app, _ in try answer(app, try context.groups(app)) }
  }

  /// For answers with verdicts: none is given as if there were no budgets.
  private func judged<Answer>(_ id: String, _ answer: (App, HealthReader) throws -> Answer) throws -> Answer? {
    try known(id) { app, health in
      if let error = health.budgetError {
        throw InvalidQuery(
          detail: "Nothing can be judged, because the app's budget file has an error: \(error)", isReadable: true)
      }
      return try answer(app, health)
    }
  }

  /// Nil when no app is called so.
  private func known<Answer>(_ id: String, _ answer: (App, HealthReader) throws -> Answer) throws -> Answer? {
    guard let app = try context.control.app(bundleID: id) else { return nil }
    return try answer(app, try context.health(app))
  }
}

extension PageRoutes.Content {
  static func report(_ report: HealthReport) -> Self { .json(report.json()) }

  /// Something that is data and a table alike, as it was asked for.
  static func api(_ answer: some TableConvertible, _ format: APIFormat) throws -> Self {
    switch format {
    case .json: return .json(answer.json())
    case .csv: return csv(answer.table)
    case .table(let name):
      guard let table = answer.table(name) else {
        let names = DataTable.allCases.filter { answer.table($0) != nil }.map(\.rawValue).joined(separator: ", ")
        throw InvalidQuery(
          detail: "table: there is no table \(name.rawValue) here; known here: \(names)", parameter: "table",
          isReadable: true)
      }
      return csv(table)
    }
  }

  private static func csv(_ table: CSVTable) -> Self {
    Self(type: "text/csv; charset=utf-8; header=present", render: { table.csv() })
  }
}
