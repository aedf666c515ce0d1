import HTML

/// Instructions for sending payloads, to copy.
struct SetupSteps: Markup {
  var key: String
  var dsn: String
  var url: String

  func write(to html: inout HTMLWriter) {
    html.element("section") { html in
      html.element("h2", text: "Send")
      html.element("ol", .class("steps")) { html in
        step(
          "From the command line", "A payload that Xcode’s “Simulate MetricKit Payloads” made, or one of your own.",
          curl, &html)
        step("MetricKit, in your app", "Register once, early. iOS hands over a payload about once a day.", swift, &html)
        step("Sentry’s SDK", "Sessions and crashes arrive with the DSN alone.", sentry, &html)
        step("OpenTelemetry", "Any exporter of OTLP over HTTP sends metrics and logs here.", otlp, &html)
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

  private var curl: String {
    """
    curl -sS '\(url)/v1/payloads' \\
         -H 'Authorization: Bearer \(key)' \\
         --data-binary @payload.json
    """
  }

  private var swift: String {
    """
    import MetricKit

    final class Vitals: NSObject, MXMetricManagerSubscriber {
      static let shared = Vitals()

      func start() { MXMetricManager.shared.add(self) }

      func didReceive(_ payloads: [MXMetricPayload]) {
        for payload in payloads { send(payload.jsonRepresentation()) }
      }

      func didReceive(_ payloads: [MXDiagnosticPayload]) {
        for payload in payloads { send(payload.jsonRepresentation()) }
      }

      private func send(_ body: Data) {
        var request = URLRequest(url: URL(string: "\(url)/v1/payloads")!)
        request.httpMethod = "POST"
        request.setValue("Bearer \(key)", forHTTPHeaderField: "Authorization")
        request.setValue(UUID().uuidString, forHTTPHeaderField: "Idempotency-Key")
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        guard (try? body.write(to: file)) != nil else { return }
        Self.session.uploadTask(with: request, fromFile: file).resume()
      }

      // In the background, so that a payload is not lost when the app is left.
      private static let session = URLSession(configuration: .background(withIdentifier: "plumb"))
    }
    """
  }

  private var otlp: String {
    """
    OTEL_EXPORTER_OTLP_ENDPOINT=\(url)
    OTEL_EXPORTER_OTLP_HEADERS=Authorization=Bearer%20\(key)
    OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf
    """
  }

  private var sentry: String {
    """
    SentrySDK.start { options in
      options.dsn = "\(dsn)"
      options.enableAutoSessionTracking = true
    }
    """
  }
}
