#if canImport(MetricKit) && !os(tvOS) && !os(watchOS)
  import Foundation
  import MetricKit

  /// Receives MetricKit's payloads and forwards their JSON. It uses `MetricManager` on iOS 27 and macOS 27, and
  /// `MXMetricManager` on earlier versions. It never uses both, because each reports the same day, which would then
  /// count twice.
  final class MetricKitReceiver: NSObject {
    private let receive: @Sendable (Data) -> Void
    private var stop: (() -> Void)?

    /// `receive` is called on any thread, with one payload at a time.
    init(receive: @escaping @Sendable (Data) -> Void) {
      self.receive = receive
      super.init()
      // The SDK with `MetricManager` also introduced StateReporting.
      #if canImport(StateReporting)
        if #available(iOS 27, macOS 27, visionOS 27, *) {
          let reports = MetricKitReports(receive: receive)
          stop = { reports.stop() }
          return
        }
      #endif
      MXMetricManager.shared.add(self)
    }

    deinit {
      if let stop { stop() } else { MXMetricManager.shared.remove(self) }
    }
  }

  extension MetricKitReceiver: MXMetricManagerSubscriber {
    func didReceive(_ payloads: [MXMetricPayload]) {
      for payload in payloads { receive(payload.jsonRepresentation()) }
    }

    @available(iOS 14, macOS 12, *)
    func didReceive(_ payloads: [MXDiagnosticPayload]) {
      for payload in payloads { receive(payload.jsonRepresentation()) }
    }
  }
#endif
