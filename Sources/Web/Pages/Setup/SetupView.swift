import Analysis
import Core
import Storage

/// The page that explains how an app sends payloads, and shows whether they arrive.
enum SetupView {
  /// The page as UTF-8. `keys`: the app's keys; empty for a copy that others may read.
  static func render(_ setup: SetupModel, app: App, keys: [IngestKey], _ context: PageContext) -> [UInt8] {
    let page = Page.setup(app: setup.app)
    let layout = Layout(
      page: page, title: "Setup of " + context.name(of: setup.app), context: context,
      asOf: setup.asOf)
    let valid = keys.filter { $0.isValid(at: setup.asOf) }
    return layout.render { html in
      html.element("h1", text: "Setup")
      html.write(SetupState(setup: setup, links: layout.links))
      html.write(SetupKeys(app: app, keys: valid, serverURL: context.serverURL))
      let code = SetupCode(
        key: valid.first?.key ?? "YOUR_KEY", dsn: dsn(app, valid, context), url: context.serverURL)
      html.write(SetupSteps(code: code))
    }
  }

  private static func dsn(_ app: App, _ keys: [IngestKey], _ context: PageContext) -> String {
    app.dsn(key: keys.first?.key ?? "YOUR_KEY", at: context.serverURL)
  }
}

/// The list of the app's ingest keys.
struct SetupKeys: Markup {
  var app: App
  var keys: [IngestKey]
  var serverURL: String

  func write(to html: inout HTMLWriter) {
    html.element("section") { html in
      html.element("h2", text: "Keys")
      guard !keys.isEmpty else {
        html.element("p") { html in
          html.text("Static copies of the pages do not contain keys. ")
          html.element("code", text: "plumb app list")
          html.text(" shows them.")
        }
        return
      }
      html.element("p", text: "A key ships inside the app. It can only send data, and only for this app.")
      html.write(
        Table("Valid keys, newest first", of: keys, style: "lines") {
          Column.head("Key") { $1.element("code", text: $0.key) }
          Column("DSN for Sentry’s SDK", .class("rest")) { key, html in
            html.element("code") { $0.text(app.dsn(key: key.key, at: serverURL)) }
          }.named(nil)
          Column("Valid until") { key, html in
            if let end = key.retires { html.write(DateTime(end)) } else { html.text("it is rotated") }
          }
        })
    }
  }
}

/// Instructions for sending payloads, to copy.
struct SetupSteps: Markup {
  var code: SetupCode

  func write(to html: inout HTMLWriter) {
    html.element("section") { html in
      html.element("h2", text: "Send data")
      html.element("ol", .class("steps")) { html in
        step(
          "From the command line", "A payload from Xcode’s “Simulate MetricKit Payloads”, or a payload from your app.",
          code.curl, &html)
        step(
          "The client package, in your app",
          "Sends MetricKit payloads (iOS 13 to 27), sessions, crash reports (at the next launch) and measurements that "
            + "MetricKit lacks. Unsent data is kept for up to seven days. The package is the Plumb repository.",
          code.package, &html)
        step(
          "MetricKit, without the package",
          "A file to paste, for iOS 14 and later. iOS delivers a payload about once a day.", code.metricKit,
          &html)
        step(
          "Sentry’s SDK",
          "With the DSN, the SDK sends sessions, crashes and metrics. A sample rate adds launch times and frames.",
          code.sentry, &html)
        step(
          "OpenTelemetry", "Any OTLP exporter over HTTP can send metrics, logs and MetricKit’s spans.", code.otlp,
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

/// Code to copy, which sends payloads. The documentation shows the same code.
struct SetupCode {
  var key: String
  var dsn: String
  /// The server's address, without a slash at its end.
  var url: String

  var curl: String {
    """
    curl -sS '\(url)/v1/payloads' \\
         -H 'Authorization: Bearer \(key)' \\
         --data-binary @payload.json
    """
  }

  /// The client package, started.
  var package: String {
    """
    // Package.swift; in Xcode: File ▸ Add Package Dependencies…
    .package(url: "https://github.com/OWNER/plumb", .upToNextMinor(from: "0.2.0"))

    // At the top of the file of your App or its delegate
    import PlumbClient

    // In its init(), or in application(_:didFinishLaunchingWithOptions:)
    Plumb.start(server: URL(string: "\(url)")!, key: "\(key)")
    """
  }

  /// MetricKit's payloads without the package: a file to paste.
  var metricKit: String {
    """
    import Foundation
    import MetricKit

    /// Sends MetricKit's payloads. Call `VitalsUploader.shared.start()` once, at launch.
    final class VitalsUploader: NSObject, MXMetricManagerSubscriber, Sendable {
      static let shared = VitalsUploader()

      private let endpoint = URL(string: "\(url)/v1/payloads")!
      private let key = "\(key)"
      private let folder = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
        .appendingPathComponent("vitals")

      func start() {
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        MXMetricManager.shared.add(self)
        uploadAll()
      }

      func didReceive(_ payloads: [MXMetricPayload]) { keep(payloads.map { $0.jsonRepresentation() }) }

      func didReceive(_ payloads: [MXDiagnosticPayload]) { keep(payloads.map { $0.jsonRepresentation() }) }

      private func keep(_ bodies: [Data]) {
        for body in bodies {
          // Names start with the time, so that they sort by it.
          let name = "\\(Int(Date().timeIntervalSince1970))-\\(UUID().uuidString)"
          try? body.write(to: folder.appendingPathComponent(name), options: .atomic)
        }
        uploadAll()
      }

      private func uploadAll() {
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        let newest = files.sorted { $0.lastPathComponent > $1.lastPathComponent }
        // Keeps the newest 50 while there is no network or the key is wrong.
        for file in newest.dropFirst(50) { try? FileManager.default.removeItem(at: file) }
        for file in newest.prefix(50) {
          var request = URLRequest(url: endpoint)
          request.httpMethod = "POST"
          request.setValue("Bearer \\(key)", forHTTPHeaderField: "Authorization")
          request.setValue(file.lastPathComponent, forHTTPHeaderField: "Idempotency-Key")
          URLSession.shared.uploadTask(with: request, fromFile: file) { _, response, _ in
            guard let status = (response as? HTTPURLResponse)?.statusCode else { return }
            // 200, 202: received. 400, 413: refused for good. Other payloads are sent again at the next launch.
            if [200, 202, 400, 413].contains(status) { try? FileManager.default.removeItem(at: file) }
          }.resume()
        }
      }
    }
    """
  }

  var sentry: String {
    """
    SentrySDK.start { options in
      options.dsn = "\(dsn)"
      options.enableAutoSessionTracking = true
      options.tracesSampleRate = 0.2  // launch times, screens and frames of one in five
    }
    """
  }

  var otlp: String {
    """
    OTEL_EXPORTER_OTLP_ENDPOINT=\(url)
    OTEL_EXPORTER_OTLP_HEADERS=Authorization=Bearer%20\(key)
    OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf
    """
  }
}
