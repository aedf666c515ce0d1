import Foundation

/// Moves measurements from the buffer to the queue. A document that is not complete is in its own file, which is
/// rewritten while the buffer grows. A killed process therefore loses only seconds.
final class MeasurementWriter {
  private let buffer: MeasurementBuffer
  private let payloads: PayloadQueue
  private let file: URL
  private let origin: Origin
  /// The user of the next documents.
  var installation: String?
  /// The first run of the release; nil if it is unknown.
  var firstRun: FirstRun?
  private var written = 0

  /// `file`: the incomplete document. A file from an earlier process goes to the queue.
  init(buffer: MeasurementBuffer, payloads: PayloadQueue, file: URL, origin: Origin, installation: String?) {
    self.buffer = buffer
    self.payloads = payloads
    self.file = file
    self.origin = origin
    self.installation = installation
    if FileManager.default.fileExists(atPath: file.path) { payloads.adopt(file, .measurements) }
  }

  /// Writes the measurements so far to the file if they changed.
  func checkpoint() {
    let version = buffer.version
    guard version != written, let document = document(clearing: false) else { return }
    if write(document) { written = version }
  }

  /// Completes the document and moves it to the queue.
  func seal(keeping underway: Set<String> = []) {
    for (reason, number) in payloads.takeLosses() {
      buffer.count(Double(number), .dropped, label: reason.rawValue)
    }
    let rejected = buffer.takeRejected()
    if rejected > 0 { buffer.count(Double(rejected), .dropped, label: LossReason.value.rawValue) }
    guard let document = document(clearing: true) else { return }
    written = buffer.version
    if write(document) { payloads.adopt(file, .measurements, keeping: underway) } else { payloads.count(.disk) }
  }

  private func document(clearing: Bool) -> NativeDocument? {
    buffer.document(origin, installation: installation, firstRun: firstRun, clearing: clearing)
  }

  private func write(_ document: NativeDocument) -> Bool {
    guard let data = try? document.encoded() else { return false }
    return (try? data.write(to: file, options: .atomic)) != nil
  }
}
