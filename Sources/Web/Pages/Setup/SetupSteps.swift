import Core

/// Instructions for sending payloads, to copy.
struct SetupSteps: Markup {
  var code: SetupCode

  func write(to html: inout HTMLWriter) {
    html.element("section") { html in
      html.element("h2", text: "Send")
      html.element("ol", .class("steps")) { html in
        step(
          "From the command line", "A payload that Xcode’s “Simulate MetricKit Payloads” made, or one of your own.",
          code.curl, &html)
        step(
          "The client package, in your app",
          "MetricKit of iOS 13 to 27, sessions, crashes at the next launch, and what MetricKit does not measure. "
            + "What cannot be sent waits up to seven days. It is the folder Client of Plumb’s repository.",
          code.package, &html)
        step(
          "MetricKit, without the package",
          "A file to paste, for iOS 14 and later. iOS hands over a payload about once a day.", code.metricKit,
          &html)
        step(
          "Sentry’s SDK",
          "Sessions, crashes and metrics arrive with the DSN alone, launch times and frames with a sample rate.",
          code.sentry, &html)
        step(
          "OpenTelemetry", "Any exporter of OTLP over HTTP sends metrics, logs and MetricKit’s spans here.", code.otlp,
          &html)
      }
    }
  }

  private func step(_ title: String, _ text: String, _ code: String, _ html: inout HTMLWriter) {
    html.element("li") { html in
      html.element("h3", text: title)
      html.element("p", text: text)
      html.element(
        "pre", Attribute("tabindex", literal: "0"), Attribute("aria-label", title), Attribute("role", literal: "region")
      ) {
        $0.element("code", text: code)
      }
    }
  }
}
