import HTML
import Health
import Storage
import Wording

/// Everything received, by what became of it.
struct ReceivedTable: Markup {
  var quality: DataQuality

  func write(to html: inout HTMLWriter) {
    html.element("section") { html in
      html.element("h2", text: "What became of it")
      html.write(
        Table("Reports and requests", ["Outcome", .number("Count"), "Meaning"]) { html in
          for line in lines { html.row { row(line, &$0) } }
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
        "Ended the process or could not be stored. Kept in quarantine, and not in the numbers."
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
        "Sessions without their user", quality.count(.setApart, TallyDelta.withoutUser),
        "Beyond 10,000 of one user on a day; counted as sessions of nobody known."
      ),
      (
        "Late sessions", quality.total(.lateSession),
        "Started over 14 days before they came; an earlier update may be forgotten."
      ),
    ]
  }

  private func row(_ line: Line, _ html: inout HTMLWriter) {
    html.rowHead { $0.write(Name(line.title)) }
    html.countCell(line.count)
    html.element("td", text: line.meaning)
  }
}
