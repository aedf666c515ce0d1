import App
import ArgumentParser
import Dispatch
import Foundation
import Logging

/// Waits for SIGTERM, SIGINT or SIGHUP (a terminal closes). While this object exists, these signals do not end the
/// process.
final class TerminationSignals {
  private let asked = DispatchSemaphore(value: 0)
  private let sources: [any DispatchSourceSignal]

  init() {
    sources = [SIGTERM, SIGINT, SIGHUP].map { [asked] number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { asked.signal() }
      source.resume()
      return source
    }
  }

  /// Ends `wait` without a signal.
  var end: @Sendable () -> Void { { [asked] in asked.signal() } }

  /// Blocks until one of the signals has arrived.
  func wait() {
    asked.wait()
    for source in sources { source.cancel() }
  }
}
