import Core
import Synchronization

/// The number of decompressed or joined bytes that a token may upload within an hour. It refills steadily.
final class UploadQuota: Sendable {
  private struct Account {
    var left: Int
    var updated: Timestamp
  }

  private let most: Int
  private let accounts = Mutex<[Int32: Account]>([:])
  private static let hour: Int64 = 3_600_000

  init(perHour most: Int) { self.most = max(1, most) }

  /// The remaining bytes of a token.
  func left(_ token: Int32, at now: Timestamp) -> Int { accounts.withLock { refilled($0[token], now).left } }

  /// Subtracts the decompressed bytes of an upload.
  func take(_ bytes: Int, of token: Int32, at now: Timestamp) {
    accounts.withLock { accounts in
      var account = refilled(accounts[token], now)
      account.left = max(0, account.left - max(0, bytes))
      // A full account is the same as a missing one.
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

  /// The answer to an upload that would exceed the token's remaining bytes.
  static let exhausted = Response.problem(
    429, "Upload quota exceeded",
    detail: "The uploads of this token reached the hourly limit of decompressed bytes. Try again later.",
    headers: [("Retry-After", "600")]
  ).prepared()
}
