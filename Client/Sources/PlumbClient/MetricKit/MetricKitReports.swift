#if canImport(MetricKit) && !os(tvOS) && !os(watchOS) && canImport(StateReporting)
  import Foundation
  import MetricKit

  /// The reports of iOS 27 and macOS 27, encoded with `JSONEncoder`.
  @available(iOS 27, macOS 27, visionOS 27, *)
  final class MetricKitReports {
    private let manager = MetricManager()
    private var tasks: [Task<Void, Never>] = []

    init(receive: @escaping @Sendable (Data) -> Void) {
      let manager = manager
      // A report that cannot be encoded is skipped. The next one may be valid.
      tasks.append(
        Task.detached(priority: .utility) {
          for await report in manager.diagnosticReports {
            if let data = try? Self.encoder().encode(report) { receive(data) }
          }
        })
      // visionOS has only diagnostics.
      #if !os(visionOS)
        tasks.append(
          Task.detached(priority: .utility) {
            for await report in manager.metricReports {
              if let data = try? Self.encoder().encode(report) { receive(data) }
            }
          })
      #endif
    }

    func stop() { for task in tasks { task.cancel() } }

    private static func encoder() -> JSONEncoder {
      let encoder = JSONEncoder()
      encoder.dateEncodingStrategy = .iso8601
      return encoder
    }
  }
#endif
