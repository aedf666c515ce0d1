import Testing

@testable import Analysis
@testable import Core
@testable import Storage
@testable import Web

/// What was received, what of it was not counted, and how to send more.
@Suite("The pages about received data")
struct ReceivingViewTests {
  private func quality(_ quality: DataQuality = Fleet.dataQuality) throws -> Element {
    try HTMLPage.parse(DataQualityView.render(quality, PageContext()))
  }

  private func diagnostics(_ list: DiagnosticList = Fleet.diagnostics, _ context: PageContext = PageContext()) throws
    -> Element
  {
    try HTMLPage.parse(DiagnosticsView.render(list, context))
  }

  private func setup(
    _ model: SetupModel = Fleet.setupPage, keys: [IngestKey] = Fleet.storedApp.keys,
    _ context: PageContext = PageContext(serverURL: "https://plumb.example.com")
  ) throws -> Element { try HTMLPage.parse(SetupView.render(model, app: Fleet.storedApp, keys: keys, context)) }

  @Test("data quality shows how much was received, counted and refused, and since when")
  func qualitySentence() throws {
    let page = try quality()
    // 9,120 + 3,100 counted; 4 rejected, 1 too large, 17 sent twice.
    #expect(try page.one("p.summary").text == "12,242 received, 12,220 counted, 5 rejected or refused.")
    #expect(
      page.texts("main ul.slice li") == [
        "received 2026-10-24 to 2026-11-20", "last payload 2026-11-21 09:00 UTC", "JSON", "CSV",
      ])
    var model = Fleet.dataQuality
    model.counts[.rejected] = nil
    model.counts[.limited] = nil
    #expect(try quality(model).one("p.summary").text == "12,237 received, 12,220 counted. Nothing was rejected.")
    model.counts = [:]
    #expect(try quality(model).one("p.summary").text == "Nothing was received in this period.")
  }

  @Test("each outcome that occurred has a row, sources first, and the others share one line")
  func outcomes() throws {
    let section = try quality().section("Outcomes")
    let counts = try section.table("Reports and requests").rows.map { "\($0.head): \($0["Count"] ?? "")" }
    #expect(
      counts == [
        "Counted, MetricKit: 9,120", "Counted, Sentry: 3,100", "Rejected: 4", "Refused: 1", "Duplicates: 17",
        "Simulated: 2", "Unknown units: 3",
      ])
    #expect(
      section.texts("p.meta") == [
        "Zero counts: quarantined, empty, possible duplicates, several releases, missing times, rejected values, "
          + "sessions without a user and late sessions."
      ])
    var model = Fleet.dataQuality
    model.counts = [:]
    let nothing = try quality(model).section("Outcomes")
    #expect(!nothing.has("table") && nothing.texts("p.meta").first?.hasPrefix("Zero counts: rejected, ") == true)
  }

  @Test("each kind of loss has its reasons, and one that never occurred has no table")
  func reasons() throws {
    let page = try quality()
    #expect(
      page.texts("h2") == [
        "Outcomes", "Rejected", "Refused", "Late", "Discarded by clients", "Duplicate diagnostics",
        "Counted as (other)", "By client and release",
      ])
    let rejected = try page.section("Rejected").table()
    #expect(rejected.columns == ["Reason", "Count", "Last day", "Last example"])
    #expect(
      rejected.rows.map(\.texts) == [
        ["type", "4", "2026-11-19", "[2].sessions[0].status: expected a string, found an integer"]
      ])
    let late = try page.section("Late").table()
    #expect(late.columns == ["Age", "Count", "Last day"])
    #expect(late.rows.map { Array($0.texts.prefix(2)) } == [["2 to 7 days", "40"], ["more than 28 days", "1"]])
  }

  @Test("clients have their own counts, and beyond a hundred the rest is in the data")
  func clients() throws {
    let table = try quality().table("The client is the User-Agent")
    #expect(
      table.columns == ["Client", "Release", "Counted", "Rejected", "Refused", "Duplicates", "Late"])
    #expect(
      table.rows.map(\.texts) == [
        ["Shop/1234 CFNetwork/1494.0.7 Darwin/23.4.0", "4.2.0 (1234)", "9,120", "0", "0", "0", "41"],
        ["sentry.cocoa/8.30.0", "4.2.0 (1234)", "3,100", "0", "0", "0", "0"],
        ["unknown", "–", "0", "4", "1", "17", "0"],
      ])
    var model = Fleet.dataQuality
    model.clients = Array(repeating: model.clients[0], count: 103)
    let section = try quality(model).section("By client and release")
    #expect(try section.table().rows.count == 100 && section.texts("p") == ["3 more rows are in the JSON."])
  }

  @Test("diagnostics are listed with time, amount and place, each with a link to its JSON while it is kept")
  func list() throws {
    let table = try diagnostics().table("Times are in UTC")
    #expect(
      table.columns == [
        "Kind", "Time", "Duration or size", "Exception", "Release", "OS version", "Device", "Environment",
      ])
    let context = ["4.2.0 (1234)", "iOS 18.6.2", "iPhone 14 Pro", "production"]
    #expect(
      table.rows.map(\.texts) == [
        ["Crash", "2026-11-21T07:00:00Z", "–", "EXC_BAD_ACCESS"] + context,
        ["Hang", "2026-11-20", "9.25 s", "–"] + context,
        ["Disk-write exception", "2026-11-20", "1.07 GB", "–"] + context,
        ["Error", "2026-11-20", "–", "NSURLErrorDomain"] + context,
      ])
    #expect(
      table.rows.map { $0.element.links("th a") }
        == [7, 5, 4, 2].map {
          ["/api/v1/apps/com.example.shop/diagnostics/\($0)"]
        })
    var kept = Fleet.diagnostics
    kept.diagnostics[0].isKept = false
    let row = try diagnostics(kept).table().rows[0]
    #expect(row.head == "Crash counted, no full sample" && row.element.links().isEmpty)
    #expect(try diagnostics(Fleet.diagnostics, PageContext(linkStyle: .files)).all("th a").isEmpty)
    kept.diagnostics.removeAll { $0.kind == .diskWriteException }
    #expect(try diagnostics(kept).table().columns[2] == "Duration")
    kept.diagnostics = Fleet.diagnostics.diagnostics.filter { $0.kind == .diskWriteException }
    #expect(try diagnostics(kept).table().columns[2] == "Size")
  }

  @Test("the list of diagnostics states whether there are more")
  func diagnosticsSentence() throws {
    #expect(try diagnostics().one("p.summary").text == "All diagnostics, newest first.")
    var list = Fleet.diagnostics
    list.next = 1
    #expect(
      try diagnostics(list).one("p.summary").text == "The newest 4 diagnostics. Older diagnostics are in the JSON.")
    list.diagnostics = []
    let none = try diagnostics(list)
    #expect(
      try none.one("p.summary").text == "No crashes, hangs or other diagnostics received yet." && !none.has("table"))
  }

  @Test("the setup shows how data was understood, and links to the numbers")
  func received() throws {
    let page = try setup()
    let card = try page.one("[role=status]")
    #expect(card["class"] == "card within")
    #expect(
      card.texts("p").first
        == "12,220 payloads and messages in the last 28 days, the last at 2026-11-21 09:00 UTC. Content:")
    #expect(
      card.facts == [
        "Sources": "MetricKit (9,120), Sentry (3,100)", "Metrics": "Launch to first draw, Peak memory",
        "Releases": "4.3.1 (1302)", "Environments": "production",
      ])
    #expect(card.links() == ["/apps/com.example.shop", "/apps/com.example.shop/data-quality"])
    #expect(!page.has("[data-again]"))
    var model = Fleet.setupPage
    model.metrics = (1...14).map { "m\($0)" }
    let metrics = try setup(model).one("[role=status]").facts["Metrics"]
    #expect(metrics?.hasSuffix("m12 and 2 more") == true)
  }

  @Test("the setup shows valid keys, and copies the first one")
  func keys() throws {
    let page = try setup()
    let table = try page.section("Keys").table()
    #expect(
      table.rows.map(\.texts) == [
        [
          "0123456789abcdef0123456789abcdef", "https://0123456789abcdef0123456789abcdef@plumb.example.com/7",
          "it is rotated",
        ],
        [
          "fedcba9876543210fedcba9876543210", "https://fedcba9876543210fedcba9876543210@plumb.example.com/7",
          "2026-11-22 09:00 UTC",
        ],
      ])
    let code = page.all("ol.steps pre")
    #expect(
      code.map { $0["aria-label"] } == [
        "From the command line", "The client package, in your app", "MetricKit, without the package", "Sentry’s SDK",
        "OpenTelemetry",
      ])
    #expect(
      code[0].text
        == #"curl -sS 'https://plumb.example.com/v1/payloads' \ -H 'Authorization: Bearer 0123456789abcdef0123456789abcdef' \ "#
        + "--data-binary @payload.json")
    #expect(code[1].text.contains("key: \"0123456789abcdef0123456789abcdef\""))
    #expect(code[2].text.contains("private let key = \"0123456789abcdef0123456789abcdef\""))
    #expect(code[3].text.contains("options.dsn = \"https://0123456789abcdef0123456789abcdef@plumb.example.com/7\""))
    #expect(
      code[4].text.contains("OTEL_EXPORTER_OTLP_ENDPOINT=https://plumb.example.com")
        && code[4].text.contains("OTEL_EXPORTER_OTLP_HEADERS=Authorization=Bearer%200123456789abcdef0123456789abcdef"))
    let copy = try setup(Fleet.setupPage, keys: [])
    #expect(
      try copy.section("Keys").texts("p") == [
        "Static copies of the pages do not contain keys. plumb app list shows them."
      ])
    #expect(copy.all("ol.steps pre")[0].text.contains("Bearer YOUR_KEY'"))
  }

  @Test("a waiting setup reloads on a server, and shows what could not be used")
  func waiting() throws {
    let page = try setup(Fleet.waiting)
    let card = try page.one("[role=status]")
    #expect(card["class"] == "card unsure" && card["data-again"] == "2" && page.has("head script"))
    #expect(try card.one("h2").text == "Waiting for your first payload")
    #expect(card.texts("p").first == "Data was received, but none of it could be used.")
    #expect(
      card.texts("li") == ["4 × type: [2].sessions[0].status: expected a string, found an integer"])
    #expect(card.links() == ["/apps/com.example.shop/setup"])
    var model = Fleet.waiting
    model.rejected = []
    let nothing = try setup(model).one("[role=status]")
    #expect(nothing.texts("p").first == "Nothing received yet." && !nothing.has("li"))
    let file = try setup(Fleet.waiting, PageContext(linkStyle: .files))
    #expect(!file.has("script") && !file.has("[role=status] a") && !file.has(".scripted"))
  }

  private func setup(_ model: SetupModel, _ context: PageContext) throws -> Element {
    try setup(model, keys: [], context)
  }
}
