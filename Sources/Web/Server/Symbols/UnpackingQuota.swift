import Core
import Symbols
import Synchronization

/// The bytes that a token's uploads may decompress to or be joined to within an hour. They grow back steadily.
final class UnpackingQuota: Sendable {
  private struct Account {
    var left: Int
    var updated: Timestamp
  }

  private let most: Int
  private let accounts = Mutex<[Int32: Account]>([:])
  private static let hour: Int64 = 3_600_000

  init(perHour most: Int) { self.most = max(1, most) }

  /// What the token has left now.
  func left(_ token: Int32, at now: Timestamp) -> Int { accounts.withLock { refilled($0[token], now).left } }

  /// Takes what an upload was decompressed to.
  func take(_ bytes: Int, of token: Int32, at now: Timestamp) {
    accounts.withLock { accounts in
      var account = refilled(accounts[token], now)
      account.left = max(0, account.left - max(0, bytes))
      // A full account equals a missing one.
      accounts = accounts.filter { refilled($0.value, now).left < most }
      accounts[token] = account
    }
  }

  private func refilled(_ account: Account?, _ now: Timestamp) -> Account {
    guard var account else { return Account(left: most, updated: now) }
    let (passed, overflow) = now.milliseconds.subtractingReportingOverflow(account.updated.milliseconds)
    let elapsed = overflow ? Self.hour : min(Self.hour, max(0, passed))
    account.left = min(most, account.left + Int(Double(most) * Double(elapsed) / Double(Self.hour)))
    account.updated = now
    return account
  }

  /// The answer to an upload that would decompress to more than the token has left.
  static let exhausted = Response.problem(
    429, "Too much unpacked",
    detail: "The uploads of this token decompressed to as much as one token's may within an hour. Try again later.",
    headers: [("Retry-After", "600")]
  ).prepared()
}
