internal import Core
import Storage
import Synchronization

/// Limits how many diagnostics with equal stacks keep their JSON in a minute. Of each stack the store keeps the JSON of
/// the newest few, so in a storm of one crash, writing and compressing it for every event would be in vain.
final class DiagnosticBodyQuota: Sendable {
  /// The maximum number of stacks that are counted. The JSON of further ones is kept.
  private static let mostStacks = 10_000

  private struct State {
    var minute: Int64 = .min
    var counts: [UInt64: Int] = [:]
  }

  /// The maximum number in a minute.
  private let most: Int
  private let state = Mutex(State())

  /// `most`: the maximum number of each stack in a minute: as many as the store keeps.
  init(most: Int) { self.most = most }

  /// Counts a diagnostic. Returns whether its JSON is kept.
  func admits(_ stack: UInt64, at time: Timestamp) -> Bool {
    let minute = time.milliseconds / 60_000
    return state.withLock { state in
      if state.minute != minute { state = State(minute: minute) }
      let count = state.counts[stack] ?? 0
      guard count < most else { return false }
      if count > 0 || state.counts.count < Self.mostStacks { state.counts[stack] = count + 1 }
      return true
    }
  }

  /// The quota for the diagnostics of one app.
  struct OfApp: Sendable {
    let quota: DiagnosticBodyQuota
    let app: AppID
  }
}

extension DecodingContext {
  /// The JSON of a diagnostic as `write` writes it; empty if enough diagnostics with this stack have theirs.
  func body(
    _ kind: DiagnosticKind, _ exception: ExceptionDetails, _ calls: CallTree, _ write: () throws -> [UInt8]
  ) rethrows -> [UInt8] {
    // Without a stack, only the JSON says what happened.
    guard let bodies, !calls.frames.isEmpty else { return try write() }
    var hash = SeededHash(seed: UInt64(bitPattern: Int64(bodies.app)))
    hash.combine(UInt64(kind.rawValue))
    hash.combine(UInt64(bitPattern: Int64(exception.type ?? -1)))
    hash.combine(UInt64(bitPattern: Int64(exception.signal ?? -1)))
    hash.combine(exception.name ?? "")
    let attributed = calls.threads.filter(\.isAttributed).map(\.range)
    for range in attributed.isEmpty ? [calls.frames.indices] : attributed {
      for frame in calls.frames[range] {
        hash.combine(UInt64(bitPattern: Int64(frame.binary)))
        hash.combine(frame.offset ?? frame.address ?? 0)
        if let symbol = frame.symbol { hash.combine(symbol.function) }
      }
    }
    return bodies.quota.admits(hash.value, at: received) ? try write() : []
  }
}
