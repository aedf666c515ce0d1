import Dispatch
import Synchronization

/// Counts failed logins and reports them at most once a minute.
final class LoginFailureReporter: Sendable {
  private struct State {
    var count = 0
    var networks: Set<String> = []
  }

  private let tell: @Sendable (Int, Int) -> Void
  private let pause: DispatchTimeInterval
  private let state = Mutex(State())
  /// The most addresses that are counted separately.
  private static let limit = 1000

  /// `tell`: receives the number of failures and of addresses, `pause` after the first failure.
  init(pause: DispatchTimeInterval = .seconds(60), tell: @escaping @Sendable (Int, Int) -> Void) {
    self.pause = pause
    self.tell = tell
  }

  func add(_ network: String) {
    let isFirst = state.withLock { state in
      state.count += 1
      if state.networks.count < Self.limit { state.networks.insert(network) }
      return state.count == 1
    }
    guard isFirst else { return }
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + pause) { [self] in
      let told = state.withLock { state in
        defer { state = State() }
        return state
      }
      tell(told.count, told.networks.count)
    }
  }
}
