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
