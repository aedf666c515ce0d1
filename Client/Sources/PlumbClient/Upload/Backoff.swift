import Foundation

/// The time to wait before the next request. It is stored in a file, so that an app that is restarted often does not
/// send more often than one that keeps running.
struct Backoff {
  /// A day, so that waiting files are tried several times before they expire.
  static let longest: TimeInterval = 86_400
  private static let first: TimeInterval = 5
  private static let usualLongest: TimeInterval = 3_600
  /// The first wait after a wrong key or address.
  private static let misdirected: TimeInterval = 3_600

  /// The content of the file.
  private struct State: Codable {
    var failures = 0
    /// The wall clock at the beginning of the wait. `delay` has the seconds.
    var since = Date(timeIntervalSince1970: 0)
    var delay: TimeInterval = 0
    /// A hash of the address and key to which the wait applies. A new key is tried at once.
    var target = 0
  }

  private var state = State()
  /// The end of the wait in uptime of this process.
  private var end: TimeInterval
  private let file: URL
  private let clock: ClientClock
  private let random: @Sendable () -> Double

  /// `random` returns numbers from 0 to 1.
  init(file: URL, target: String, clock: ClientClock, random: @escaping @Sendable () -> Double) {
    self.file = file
    self.clock = clock
    self.random = random
    let target = Self.hash(target)
    // A missing or damaged file means that nothing failed.
    if let data = try? Data(contentsOf: file), let kept = try? JSONDecoder().decode(State.self, from: data),
      kept.target == target, kept.delay.isFinite
    {
      state = kept
    }
    state.target = target
    // If the clock was set back, the whole wait is ahead, but never more.
    let delay = min(max(0, state.delay), Self.longest)
    let passed = clock.now().timeIntervalSince(state.since)
    end = clock.uptime() + (passed < 0 ? delay : max(0, delay - passed))
  }

  /// The seconds until the next attempt; 0 or less means now.
  var remaining: TimeInterval { end - clock.uptime() }
  var failures: Int { state.failures }

  mutating func succeeded() {
    guard state.failures > 0 else { return }
    state.failures = 0
    wait(0)
  }

  /// Doubles the wait after each failure. Half of it is random, so that a fleet's devices do not return at the same
  /// time.
  mutating func failed(atLeast least: TimeInterval) {
    state.failures = min(state.failures + 1, 30)
    let usual = min(Self.usualLongest, Self.first * pow(2, Double(state.failures - 1)))
    let spread = least + min(least, 60) * random() / 2
    wait(min(Self.longest, max(usual * (0.5 + random() / 2), spread)))
  }

  mutating func failedByAddressOrKey() {
    state.failures = min(state.failures + 1, 30)
    let usual = min(Self.longest, Self.misdirected * pow(2, Double(state.failures - 1)))
    wait(usual * (0.5 + random() / 2))
  }

  private mutating func wait(_ delay: TimeInterval) {
    state.delay = delay
    state.since = clock.now()
    end = clock.uptime() + delay
    // If the disk is full, the wait holds only for this process.
    if let data = try? JSONEncoder().encode(state) { try? data.write(to: file, options: .atomic) }
  }

  /// FNV-1a. Unlike `hashValue`, it is the same in every process. The key itself is not written to disk.
  private static func hash(_ text: String) -> Int {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return Int(truncatingIfNeeded: hash >> 12)
  }
}
