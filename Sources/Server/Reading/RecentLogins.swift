import Synchronization
import Telemetry

/// Logins that were looked up a moment ago, so that a page in memory is sent without asking the database who reads it.
final class RecentLogins: Sendable {
  private let known = Mutex<[String: Login]>([:])

  private struct Login {
    let user: String
    let seen: Timestamp
  }

  private static let lifetime: Int64 = 15_000
  private static let most = 1_000

  /// The user whose session's hash it is; nil when nobody asked for it in the last fifteen seconds.
  func user(of hash: String, at now: Timestamp) -> String? {
    known.withLock { known in
      guard let login = known[hash], now >= login.seen,
        now.milliseconds - login.seen.milliseconds < Self.lifetime
      else { return nil }
      return login.user
    }
  }

  func remember(_ hash: String, user: String, at now: Timestamp) {
    known.withLock { known in
      if known.count >= Self.most { known = [:] }
      known[hash] = Login(user: user, seen: now)
    }
  }

  func forget(_ hash: String) { known.withLock { $0[hash] = nil } }
}
