#if canImport(MetricKit)
  import Foundation
  import MetricKit

  /// Receives MetricKit's payloads and hands their JSON on. On iOS 27 and macOS 27 it is `MetricManager` that reports,
  /// before that `MXMetricManager`; never both, since each would report the same day, which then counted twice.
  final class MetricKitReceiver: NSObject {
    private let receive: @Sendable (Data) -> Void
    private var stop: (() -> Void)?

    /// `receive` is called on any thread, with one payload at a time.
    init(receive: @escaping @Sendable (Data) -> Void) {
      self.receive = receive
      super.init()
      // StateReporting came with the SDK that has `MetricManager`.
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
    // SDKs before that of macOS 26 have no metrics for the Mac.
    #if !os(macOS) || compiler(>=6.2)
      func didReceive(_ payloads: [MXMetricPayload]) {
        for payload in payloads { receive(payload.jsonRepresentation()) }
      }
    #endif

    @available(iOS 14, macOS 12, *)
    func didReceive(_ payloads: [MXDiagnosticPayload]) {
      for payload in payloads { receive(payload.jsonRepresentation()) }
    }
  }
#endif
