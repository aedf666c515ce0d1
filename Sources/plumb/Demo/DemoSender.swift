import Core
import Dispatch
import Ingest
import Storage

/// A payload and the time at which the server receives it.
struct DemoMessage {
  var body: String
  var received: Timestamp
}

/// Sends demo payloads through the same intake as real payloads, at most 512 at once.
final class DemoSender {
  private let intake: Intake
  private let decoder = PayloadDecoder()
  private let permits = DispatchSemaphore(value: DemoSender.most)
  private(set) var count = 0
  private static let most = 512

  init(_ intake: Intake) { self.intake = intake }

  /// Waits until all sent payloads are stored.
  func wait() {
    for _ in 0..<Self.most { permits.wait() }
    for _ in 0..<Self.most { permits.signal() }
  }

  func send(_ message: DemoMessage, to app: AppID) throws {
    permits.wait()
    count += 1
    let body = Array(message.body.utf8)
    do {
      try body.withUnsafeBytes { bytes in
        try intake.receive(
          bytes, Submission(app: app, received: message.received), decoder: decoder
        ) { [permits] _ in permits.signal() }
      }
    } catch {
      permits.signal()
      throw error
    }
  }
}
