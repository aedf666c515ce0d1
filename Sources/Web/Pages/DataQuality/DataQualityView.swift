import Analysis
import Core
import Storage

/// The data quality page.
enum DataQualityView {
  /// The page as UTF-8.
  static func render(_ quality: DataQuality, _ context: PageContext) -> [UInt8] {
    let layout = Layout(
      page: .dataQuality(app: quality.app), title: "Data quality of " + context.name(of: quality.app), context: context,
      footer: "Payloads up to number \(Decimal.grouped(Int(quality.digestedThrough))).")
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
    guard quality.received > 0 else { return "Nothing was received in these days." }
    let received = "\(Decimal.grouped(quality.received)) received, \(Decimal.grouped(quality.accepted)) counted"
    let rejected = quality.total(.rejected) + quality.total(.limited)
    return rejected == 0
      ? received + ". Nothing was rejected." : received + ", \(Decimal.grouped(rejected)) rejected or refused."
  }
}

/// A table of everything received, by what happened to it.
struct ReceivedTable: Markup {
  var quality: DataQuality

  func write(to html: inout HTMLWriter) {
    html.element("section") { html in
      html.element("h2", text: "What became of it")
      html.write(
        Table("Reports and requests", of: lines, style: "lines") {
          Column.head("Outcome") { $1.write(Name($0.title)) }
          Column.count("Count", \.count).styled("n", "answer").named(nil)
          Column("Meaning", .class("rest"), text: \.meaning).named(nil)
        })
    }
  }

  private typealias Line = (title: String, count: Int, meaning: String)

  private var lines: [Line] {
    let sources = (quality.counts[.accepted] ?? []).map { source in
      (title: "Counted, \(source.reason)", count: source.count, meaning: "In the numbers.")
    }
    return sources + [
      ("Rejected", quality.total(.rejected), "Not understood. Nothing of it is in the numbers."),
      (
        "Set aside", quality.total(.quarantined),
        "Damaged, lost, ended the process or could not be stored. What is left is kept, and not in the numbers."
      ),
      ("Refused", quality.total(.limited), "Too large, too many, or packed in an unknown way."),
      ("Empty", quality.total(.empty), "Understood, and held nothing that is kept."),
      ("Sent again", quality.total(.duplicate), "The same idempotency key within seven days; counted once."),
      ("Perhaps sent again", quality.total(.suspectedDuplicate), "Equal bytes without a key; counted each time."),
      ("Simulated", quality.count(.setApart, "simulated"), "From Xcode; kept in an environment of its own."),
      ("Spanning releases", quality.count(.setApart, "several releases"), "Counted for the app, for no release."),
      ("Unknown units", quality.count(.guessed, "unknown unit"), "Read in the unit such a value usually has."),
      ("Missing times", quality.count(.guessed, "missing time"), "Counted on the day of receipt."),
      (
        "Rejected values", quality.total(.rejectedSample),
        "Negative, no number, or of a kind nobody knows; the rest of the payload counts."
      ),
      (
        "Sessions without their user", quality.count(.setApart, IntakeTally.withoutUser),
        "Beyond 10,000 of one user on a day; counted as sessions of nobody known."
      ),
      (
        "Late sessions", quality.total(.lateSession),
        "Started over 14 days before they came; an earlier update may be forgotten."
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
      kind: .rejected, title: "Rejected", caption: "Bodies that were not understood, and where the last one went wrong",
      column: "Reason"),
    QualitySection(
      kind: .quarantined, title: "Set aside", caption: "Records and rows that are damaged, lost or could not be stored",
      column: "What"),
    QualitySection(
      kind: .limited, title: "Refused", caption: "Requests turned away before they were read", column: "Reason"),
    QualitySection(
      kind: .rejectedPart, title: "Left out", caption: "Points and records left out while the rest was kept",
      column: "What"),
    QualitySection(
      kind: .skipped, title: "Skipped", caption: "Items of Sentry envelopes whose type is not kept, by type",
      column: "Type"),
    QualitySection(
      kind: .late, title: "Late", caption: "Reports that came days after what they tell of", column: "Age"),
    QualitySection(
      kind: .lostByClient, title: "Lost before sending", caption: "What clients say they could not send",
      column: "What and why"),
    QualitySection(
      kind: .repeatedDiagnostic, title: "Diagnostics sent again",
      caption: "The same diagnostic within seven days; counted once",
      column: "Kind"),
    QualitySection(
      kind: .capped, title: "Counted as (other)", caption: "Names beyond the most that are kept apart",
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

  /// The most rows; further ones are summed up in a sentence.
  private static let most = 100

  func write(to html: inout HTMLWriter) {
    guard !clients.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: "By client and release")
      html.write(
        Table("The client is the User-Agent of a request", of: clients.prefix(Self.most), style: "lines") {
          Column.head("Client") { $1.write(Name($0.client.isEmpty ? "not named" : $0.client)) }
          Column("Release", .class("answer")) { $1.write(Name($0.release.isEmpty ? Quantity.unknown : $0.release)) }
            .named(nil)
          Column.count("Counted", \.accepted)
          Column.count("Rejected", \.rejected)
          Column.count("Refused", \.refused)
          Column.count("Sent again", \.duplicates)
          Column.count("Late", \.late)
        })
      if clients.count > Self.most {
        html.element("p", text: "\(Decimal.grouped(clients.count - Self.most)) more are in the JSON.")
      }
    }
  }
}
