import HTML
import Health
import Telemetry

/// Why iOS ended the app.
struct ExitTable: Markup {
  var exits: ExitReport

  func write(to html: inout HTMLWriter) {
    guard exits.foreground != nil || exits.background != nil else { return }
    html.element("section") { html in
      html.element("h2", text: "Exits")
      html.write(
        Table(
          "Why iOS ended the app, as MetricKit counts it",
          ["Reason", .number("Foreground"), .number("Background")]
        ) { html in
          for reason in reasons {
            html.row { html in
              html.rowHead(text: Summary.capitalized(reason.title))
              html.countCell(exits.foreground.map { $0[reason, default: 0] })
              html.countCell(exits.background.map { $0[reason, default: 0] })
            }
          }
        })
    }
  }

  /// Normal exits, and each other reason that happened.
  private var reasons: [ExitReason] {
    ExitReason.allCases.filter { reason in
      reason == .normal || (exits.foreground?[reason] ?? 0) + (exits.background?[reason] ?? 0) > 0
    }
  }
}
