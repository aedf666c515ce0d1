import Analysis
public import Core
public import Storage

/// The page that explains how an app sends payloads, and shows whether they arrive.
public enum SetupPage: AppPageDefinition {
  /// The app's keys are empty in a static export, because copies may be passed on.
  public typealias Model = (setup: SetupModel, app: App, keys: [IngestKey])

  public static let path: PathPattern = "apps/{app}/setup"
  public static let navigationTitle: String? = "Setup"
  public static let endpoints = [
    endpoint(.init("getSetup", "Whether payloads arrive", "What was received, and its content."), isJudged: false) {
      try load($0)?.setup
    }
  ]
  public static let holdsSecrets = true

  public static func load(_ question: AppQuestion) throws -> Model? {
    let setup = try question.health.setupPage(question.app, now: question.now)
    return (setup, question.app, question.request.isExport ? [] : question.app.keys)
  }

  public static func view(_ model: Model, _ context: PageContext) -> [UInt8] {
    SetupView.render(model.setup, app: model.app, keys: model.keys, context)
  }

  public static func data(_ model: Model) -> (any APIObject)? { model.setup }

  public static func isLasting(_ model: Model) -> Bool { model.setup.hasReceived }
}

extension Page {
  static func setup(app: String) -> Page { Page(SetupPage.self, [app]) }
}

extension HealthReader {
  /// Reads the model of the setup page.
  func setupPage(_ app: App, now: Timestamp) throws -> SetupModel {
    let scope = try scope(of: app, .init(), now: now)
    let quality = try dataQuality(app, now: now)
    let metrics = try series(scope).map(\.metric).filter { !Self.internalMetrics.contains($0) }
    let titles = Set(metrics.map(\.name)).map { name in
      let metric = Catalogue.metric(named: name)
      return (order: metric.map { Int($0.number) } ?? .max, title: metric?.title ?? name)
    }.sorted { ($0.order, $0.title) < ($1.order, $1.title) }
    let releases = Set(scope.inventory.releases.map(\.release)).sorted { VersionOrder.precedes($1, $0) }
    return SetupModel(
      app: scope.bundleID, accepted: quality.accepted,
      rejected: (quality.counts[.rejected] ?? []) + (quality.counts[.limited] ?? []),
      sources: quality.counts[.accepted] ?? [], lastReceived: scope.inventory.lastReceived,
      metrics: titles.map(\.title), releases: releases.map(\.title),
      environments: scope.inventory.environments.keys.sorted(), digestedThrough: scope.inventory.digestedThrough,
      asOf: now)
  }
}

/// The model of the setup page: whether payloads arrive, and what they contained.
public struct SetupModel: Sendable, Equatable {
  var app: String
  /// The number of reports in the last 28 days of receipt that are included in the numbers.
  var accepted: Int
  /// The number of bodies rejected in the same days, by reason.
  var rejected: [DataQuality.Count] = []
  /// The number of reports by source: MetricKit, Sentry.
  var sources: [DataQuality.Count] = []
  var lastReceived: Timestamp?
  /// The titles of the metrics that have data, in the catalogue's order.
  var metrics: [String] = []
  /// The releases seen, such as `4.2.0 (1234)`, newest first.
  var releases: [String] = []
  var environments: [String] = []
  var digestedThrough: Int64 = 0
  var asOf: Timestamp

  /// Whether any report was ever received.
  var hasReceived: Bool { accepted > 0 || !environments.isEmpty }
}

extension SetupModel: APIObject {
  public static let fields = Fields<Self>(
    "Setup", "Whether payloads arrive, and what they contained. Keys are not included."
  ) {
    Field.version(HealthReport.schema)
    Field.app(\.app)
    Field("received", \.hasReceived, "Whether any usable report was ever received.")
    Field.digestedThrough(\.digestedThrough)
    Field("accepted", \.accepted)
    Field("last_received", \.lastReceived)
    Field("by_source", \.sources, each: DataQuality.Count.fields(of: "source"))
    Field("rejected", \.rejected, each: DataQuality.Count.fields(of: "reason"))
    Field("metrics", \.metrics)
    Field("releases", \.releases)
    Field("environments", \.environments)
  }
}

/// The state of the setup: waiting for payloads, or received with a summary.
struct SetupState: Markup {
  var setup: SetupModel
  var links: Links

  func write(to html: inout HTMLWriter) {
    if setup.hasReceived { received(&html) } else { waiting(&html) }
  }

  private func waiting(_ html: inout HTMLWriter) {
    html.element(
      "div", .class("card", "unsure"), Attribute("role", literal: "status"), Attribute("data-again", literal: "2")
    ) { html in
      html.element("h2", text: "Waiting for your first payload")
      html.element(
        "p",
        text: setup.rejected.isEmpty
          ? "Nothing received yet." : "Data was received, but none of it could be used.")
      if links.style == .served {
        // Only browsers that run the page's script show this text.
        html.element("p", .class("meta", "scripted"), text: "This page checks again every few seconds.")
      }
      if !setup.rejected.isEmpty { rejected(&html) }
      if links.style == .served {
        html.element("p") { html in
          html.element("a", .href(links.href(links.origin)), text: "Check again")
        }
      }
    }
  }

  private func rejected(_ html: inout HTMLWriter) {
    html.element("ul", .class("plain")) { html in
      for count in setup.rejected.prefix(5) {
        html.element("li") { html in
          html.text("\(Decimal.grouped(count.count)) × ")
          html.write(Name(count.reason))
          if !count.lastDetail.isEmpty {
            html.text(": ")
            html.write(Name(count.lastDetail))
          }
        }
      }
    }
  }

  private func received(_ html: inout HTMLWriter) {
    html.element("div", .class("card", "within"), Attribute("role", literal: "status")) { html in
      html.element("h2", text: "Received")
      html.element("p") { html in
        html.text(
          setup.accepted == 1
            ? "One payload or message in the last 28 days"
            : "\(Decimal.grouped(setup.accepted)) payloads and messages in the last 28 days")
        if let last = setup.lastReceived {
          html.text(", the last at ")
          html.write(DateTime(last))
        }
        html.text(". Content:")
      }
      html.element("dl", .class("facts")) { facts(&$0) }
      html.element("p") { html in
        html.element("a", .href(links.href(.app(setup.app))), text: "See the vitals")
        html.text(" · ")
        html.element("a", .href(links.href(.dataQuality(app: setup.app))), text: "See which payloads were not accepted")
      }
    }
  }

  private func facts(_ html: inout HTMLWriter) {
    let sources = setup.sources.map { "\($0.reason) (\(Decimal.grouped($0.count)))" }
    for (name, values) in [
      ("Sources", sources), ("Metrics", setup.metrics), ("Releases", setup.releases),
      ("Environments", setup.environments),
    ] {
      html.element("div") { html in
        html.element("dt", text: name)
        html.element("dd") { list(values, &$0) }
      }
    }
  }

  /// Writes the first twelve values, and how many more there are.
  private func list(_ values: [String], _ html: inout HTMLWriter) {
    guard !values.isEmpty else { return html.text("none in this period") }
    for (index, value) in values.prefix(12).enumerated() {
      if index > 0 { html.text(", ") }
      html.write(Name(value))
    }
    if values.count > 12 { html.text(" and \(Decimal.grouped(values.count - 12)) more") }
  }
}
