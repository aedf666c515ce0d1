import Analysis
import Core
import Storage

/// The data quality page.
enum DataQualityView {
  /// The page as UTF-8.
  static func render(_ quality: DataQuality, _ context: PageContext) -> [UInt8] {
    let layout = Layout(
      page: .dataQuality(app: quality.app), title: "Data quality of " + context.name(of: quality.app), context: context,
      footer: "Based on all payloads up to no. \(Decimal.grouped(Int(quality.digestedThrough))).")
    return layout.render { html in
      html.write(DataQualityHeading(quality: quality, links: layout.links))
      html.write(ReceivedTable(quality: quality))
      for section in QualitySection.all { html.write(CountTable(section: section, quality: quality)) }
      html.write(ClientTable(clients: quality.clients))
    }
  }
}

/// The top of the page: the result in one sentence, and the days.
struct DataQualityHeading: Markup {
  var quality: DataQuality
  var links: Links

  func write(to html: inout HTMLWriter) {
    html.element("h1") { html in
      html.text("Data quality of ")
      html.write(AppName(app: quality.app, links: links))
    }
    html.element("p", .class("summary"), text: sentence)
    html.element("ul", .class("slice")) { html in
      html.element("li", text: "received \(quality.window.from.iso) to \(quality.window.to.iso)")
      if let last = quality.lastReceived {
        html.element("li") { html in
          html.text("last payload ")
          html.write(DateTime(last))
        }
      }
      html.write(DataLinks(page: .dataQuality(app: quality.app), links: links))
      html.write(IdleFilters(page: .dataQuality(app: quality.app), filter: links.filter))
    }
  }

  private var sentence: String {
    guard quality.received > 0 else { return "Nothing was received in this period." }
    let received = "\(Decimal.grouped(quality.received)) received, \(Decimal.grouped(quality.accepted)) counted"
    let rejected = quality.total(.rejected) + quality.total(.limited)
    return rejected == 0
      ? received + ". Nothing was rejected." : received + ", \(Decimal.grouped(rejected)) rejected or refused."
  }
}

/// A table of everything received, by outcome. Outcomes that did not occur are listed in one line below it.
struct ReceivedTable: Markup {
  var quality: DataQuality

  func write(to html: inout HTMLWriter) {
    let counted = lines.filter { $0.count > 0 }
    let others = lines.filter { $0.count == 0 }
    html.element("section") { html in
      html.element("h2", text: "Outcomes")
      if !counted.isEmpty {
        html.write(
          Table("Reports and requests", of: counted, style: "lines") {
            Column.head("Outcome") { $1.write(Name($0.title)) }
            Column.count("Count", \.count).styled("n", "answer").named(nil)
            Column("Meaning", .class("rest"), text: \.meaning).named(nil)
          })
      }
      if !others.isEmpty {
        html.element(
          "p", .class("meta"), text: "Zero counts: \(SentenceWords.list(others.map { $0.title.lowercased() })).")
      }
    }
  }

  private typealias Line = (title: String, count: Int, meaning: String)

  private var lines: [Line] {
    let sources = (quality.counts[.accepted] ?? []).map { source in
      (title: "Counted, \(source.reason)", count: source.count, meaning: "Included in the numbers.")
    }
    return sources + [
      ("Rejected", quality.total(.rejected), "Invalid or unsupported; not included in the numbers."),
      (
        "Quarantined", quality.total(.quarantined),
        "Damaged, lost, not storable, or the cause of a server crash. Kept if possible; not included in the numbers."
      ),
      ("Refused", quality.total(.limited), "Too large, too many, or in an unsupported encoding."),
      ("Empty", quality.total(.empty), "Valid, but contained nothing to store."),
      ("Duplicates", quality.total(.duplicate), "The same idempotency key within seven days; counted once."),
      ("Possible duplicates", quality.total(.suspectedDuplicate), "Identical bytes without a key; counted each time."),
      ("Simulated", quality.count(.setApart, "simulated"), "From Xcode; kept in a separate environment."),
      ("Several releases", quality.count(.setApart, "several releases"), "Counted for the app, but for no release."),
      ("Unknown units", quality.count(.guessed, "unknown unit"), "Interpreted in the metric’s usual unit."),
      ("Missing times", quality.count(.guessed, "missing time"), "Counted on the day of receipt."),
      (
        "Rejected values", quality.total(.rejectedSample),
        "Negative, not a number, or of an unknown kind; the rest of the payload is counted."
      ),
      (
        "Sessions without a user", quality.count(.setApart, IntakeTally.withoutUser),
        "Over 10,000 sessions of one user in a day; counted without a user."
      ),
      (
        "Late sessions", quality.total(.lateSession),
        "Started over 14 days before receipt; an earlier update may be lost."
      ),
    ]
  }
}

/// The title, caption and column heading of the section about one kind of intake event, such as rejections.
struct QualitySection: Sendable {
  var kind: TallyKind
  var title: String
  var caption: String
  var column: String

  static let all = [
    QualitySection(
      kind: .rejected, title: "Rejected", caption: "Rejected bodies, with the last error",
      column: "Reason"),
    QualitySection(
      kind: .quarantined, title: "Quarantined", caption: "Records and rows that are damaged, lost or not storable",
      column: "Reason"),
    QualitySection(
      kind: .limited, title: "Refused", caption: "Requests refused before they were read", column: "Reason"),
    QualitySection(
      kind: .rejectedPart, title: "Rejected parts",
      caption: "Points and log records that were rejected; the rest of the request was kept", column: "Reason"),
    QualitySection(
      kind: .skipped, title: "Skipped",
      caption: "Items of Sentry envelopes and events of OpenTelemetry that Plumb does not keep, by type", column: "Type"
    ),
    QualitySection(
      kind: .late, title: "Late", caption: "Reports received two or more days after the newest day they cover",
      column: "Age"),
    QualitySection(
      kind: .lostByClient, title: "Discarded by clients", caption: "Data that clients reported as discarded",
      column: "Data and reason"),
    QualitySection(
      kind: .repeatedDiagnostic, title: "Duplicate diagnostics",
      caption: "The same diagnostic within seven days; counted once",
      column: "Kind"),
    QualitySection(
      kind: .capped, title: "Counted as (other)", caption: "Names beyond the limit, counted together",
      column: "Name of"),
  ]
}

/// A table of how often each reason of one kind of event occurred, such as the reasons for rejected payloads. Writes
/// nothing if there were no such events.
struct CountTable: Markup {
  var section: QualitySection
  var quality: DataQuality

  func write(to html: inout HTMLWriter) {
    guard let counts = quality.counts[section.kind], !counts.isEmpty else { return }
    let hasDetails = counts.contains { !$0.lastDetail.isEmpty }
    html.element("section") { html in
      html.element("h2", text: section.title)
      html.write(
        Table(section.caption, of: counts, style: "lines") {
          Column.head(section.column) { $1.write(Name($0.reason)) }
          Column.count("Count", \.count).styled("n", "answer").named(nil)
          Column("Last day", text: \.lastDay.iso)
          if hasDetails {
            Column("Last example", .class("rest")) { count, html in
              html.element("code") { $0.write(Name(count.lastDetail)) }
            }.named(nil)
          }
        })
    }
  }
}

/// A table of client programs and what each sent for which release.
struct ClientTable: Markup {
  var clients: [DataQuality.ClientCounts]

  /// The maximum number of rows; a sentence gives the number of further ones.
  private static let most = 100

  func write(to html: inout HTMLWriter) {
    guard !clients.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: "By client and release")
      html.write(
        Table("The client is the User-Agent of a request", of: clients.prefix(Self.most), style: "lines") {
          Column.head("Client") { $1.write(Name($0.client.isEmpty ? "unknown" : $0.client)) }
          Column("Release", .class("answer")) { $1.write(Name($0.release.isEmpty ? Quantity.unknown : $0.release)) }
            .named(nil)
          Column.count("Counted", \.accepted)
          Column.count("Rejected", \.rejected)
          Column.count("Refused", \.refused)
          Column.count("Duplicates", \.duplicates)
          Column.count("Late", \.late)
        })
      if clients.count > Self.most {
        html.element("p", text: "\(Decimal.grouped(clients.count - Self.most)) more rows are in the JSON.")
      }
    }
  }
}
