import Foundation

/// Takes measurements from the buffer to the queue. Until a document is complete it stands in a file of its own, which
/// is written again while the buffer grows, so that a process that is killed loses seconds.
final class MeasurementWriter {
  private let buffer: MeasurementBuffer
  private let payloads: PayloadQueue
  private let file: URL
  private let origin: Origin
  private let installation: String?
  private var written = 0

  /// `file`: where the document stands that is not complete. What an earlier process left there goes to the queue.
  init(buffer: MeasurementBuffer, payloads: PayloadQueue, file: URL, origin: Origin, installation: String?) {
    self.buffer = buffer
    self.payloads = payloads
    self.file = file
    self.origin = origin
    self.installation = installation
    if FileManager.default.fileExists(atPath: file.path) { payloads.adopt(file, .measurements) }
  }

  /// Writes what is measured so far to the file, if it changed.
  func checkpoint() {
    let version = buffer.version
    guard version != written, let document = buffer.document(origin, installation: installation, clearing: false) else {
      return
    }
    if write(document) { written = version }
  }

  /// Completes the document and moves it to the queue.
  func seal(keeping underway: Set<String> = []) {
    for (reason, number) in payloads.takeLosses() {
      buffer.count(Double(number), .dropped, label: reason.rawValue)
    }
    let rejected = buffer.takeRejected()
    if rejected > 0 { buffer.count(Double(rejected), .dropped, label: LossReason.value.rawValue) }
    guard let document = buffer.document(origin, installation: installation, clearing: true) else { return }
    written = buffer.version
    if write(document) { payloads.adopt(file, .measurements, keeping: underway) } else { payloads.count(.disk) }
  }

  private func write(_ document: NativeDocument) -> Bool {
    guard let data = try? document.encoded() else { return false }
    return (try? data.write(to: file, options: .atomic)) != nil
  }
}
