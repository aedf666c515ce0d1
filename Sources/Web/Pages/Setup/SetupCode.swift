/// What people copy to send payloads. README shows the same code.
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
    // Package.swift; in Xcode: File ▸ Add Package Dependencies… ▸ Add Local…
    .package(path: "../plumb/Client")

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
          // The time comes first, so that names sort by it.
          let name = "\\(Int(Date().timeIntervalSince1970))-\\(UUID().uuidString)"
          try? body.write(to: folder.appendingPathComponent(name), options: .atomic)
        }
        uploadAll()
      }

      private func uploadAll() {
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        let newest = files.sorted { $0.lastPathComponent > $1.lastPathComponent }
        // While there is no network, or the key is wrong, the newest 50 wait.
        for file in newest.dropFirst(50) { try? FileManager.default.removeItem(at: file) }
        for file in newest.prefix(50) {
          var request = URLRequest(url: endpoint)
          request.httpMethod = "POST"
          request.setValue("Bearer \\(key)", forHTTPHeaderField: "Authorization")
          request.setValue(file.lastPathComponent, forHTTPHeaderField: "Idempotency-Key")
          URLSession.shared.uploadTask(with: request, fromFile: file) { _, response, _ in
            guard let status = (response as? HTTPURLResponse)?.statusCode else { return }
            // 200 and 202: Plumb has it. 400 and 413: it will never take it. Else the next launch tries again.
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
