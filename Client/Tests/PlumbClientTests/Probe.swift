#if os(Linux)
  import Foundation

  /// A process that uses the client: `Tests/ClientProbe`.
  struct Probe {
    let process = Process()
    private let output = Pipe()

    /// Beside the tests; the bundle of tests is their folder on Linux.
    static let program = Bundle(for: ProbeBundle.self).bundleURL.appendingPathComponent("ClientProbe")

    private final class ProbeBundle {}

    /// Starts it with commands.
    init(_ folder: URL, _ server: URL, _ key: String, _ commands: String...) throws {
      process.executableURL = Self.program
      process.arguments = [folder.path, server.absoluteString, key] + commands
      // Printing the stack of a crash takes longer than all the rest.
      process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
      process.standardOutput = output
      process.standardError = FileHandle.nullDevice
      try process.run()
    }

    /// Waits until it ends, and returns the exit code or the signal's number.
    @discardableResult
    func wait() -> (code: Int32, bySignal: Bool) {
      process.waitUntilExit()
      return (process.terminationStatus, process.terminationReason == .uncaughtSignal)
    }

    /// Waits until it says `ready`, and a little longer, then ends it as the system does: without a word.
    func killWhenReady(after milliseconds: UInt32 = 0) throws {
      var text = ""
      while !text.contains("ready") {
        let bytes = output.fileHandleForReading.availableData
        if bytes.isEmpty { break }
        text += String(decoding: bytes, as: UTF8.self)
      }
      usleep(milliseconds * 1000)
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
  }
#endif
