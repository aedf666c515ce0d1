import Analysis
import Core
import Storage

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
