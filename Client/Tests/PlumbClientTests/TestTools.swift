import Foundation

@testable import PlumbClient

/// A folder that is deleted with its owner.
final class TemporaryFolder: Sendable {
  let url: URL

  init() {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("plumb-client-\(UUID().uuidString)")
    try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }
}

/// Clocks that a test sets.
final class TestClock: @unchecked Sendable {
  // Invariant: used with `lock` held.
  private let lock = NSLock()
  private var wall = Date(timeIntervalSince1970: 1_795_000_000)
  private var running: TimeInterval = 1000

  var now: Date {
    get { lock.withLock { wall } }
    set { lock.withLock { wall = newValue } }
  }

  /// Both clocks go on.
  func advance(_ seconds: TimeInterval) {
    lock.withLock {
      wall += seconds
      running += seconds
    }
  }

  /// A new process: the uptime of the old one says nothing to it.
  func restart() { lock.withLock { running = 0 } }

  var clock: ClientClock {
    ClientClock(now: { self.now }, uptime: { self.lock.withLock { self.running } })
  }
}

#if os(Linux)
  /// A file system in memory that is soon full. Only root may mount one.
  struct SmallDisk {
    let url: URL
    private let folder = TemporaryFolder()

    /// Root in a container may not mount either, so it is tried.
    static let isPossible: Bool = {
      guard getuid() == 0, let disk = try? SmallDisk(bytes: 1 << 20) else { return false }
      disk.remove()
      return true
    }()

    init(bytes: Int) throws {
      url = folder.url
      try Self.run("/usr/bin/mount", "-t", "tmpfs", "-o", "size=\(bytes)", "tmpfs", url.path)
    }

    /// Bytes that can be written.
    func free() throws -> Int {
      let attributes = try FileManager.default.attributesOfFileSystem(forPath: url.path)
      return (attributes[.systemFreeSize] as? NSNumber)?.intValue ?? 0
    }

    func remove() { try? Self.run("/usr/bin/umount", "-l", url.path) }

    private struct Failure: Error {}

    private static func run(_ program: String, _ arguments: String...) throws {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: program)
      process.arguments = arguments
      try process.run()
      process.waitUntilExit()
      guard process.terminationStatus == 0 else { throw Failure() }
    }
  }
#endif

/// Waits for what another thread or process does.
func eventually(_ condition: @Sendable () throws -> Bool) async rethrows -> Bool {
  for _ in 0..<1000 {
    if try condition() { return true }
    try? await Task.sleep(nanoseconds: 10_000_000)
  }
  return false
}
