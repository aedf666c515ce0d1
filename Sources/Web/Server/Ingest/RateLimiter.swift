import Core
import Storage
import Synchronization

/// Limits the requests per second of each app with a token bucket that refills steadily and holds two seconds of
/// requests.
final class RateLimiter: Sendable {
  private let perSecond: Double
  private let buckets = Mutex<[AppID: Bucket]>([:])

  private struct Bucket {
    var tokens: Double
    var updated: Timestamp
  }

  init(perSecond: Int) { self.perSecond = Double(max(1, perSecond)) }

  /// Takes a token. Nil on success, otherwise the number of seconds until a token is available.
  func take(_ app: AppID, at now: Timestamp) -> Int? {
    buckets.withLock { buckets in
      var bucket = buckets[app] ?? Bucket(tokens: perSecond * 2, updated: now)
      let elapsed = Double(max(0, now.milliseconds - bucket.updated.milliseconds)) / 1000
      bucket.tokens = min(perSecond * 2, bucket.tokens + elapsed * perSecond)
      bucket.updated = now
      defer { buckets[app] = bucket }
      guard bucket.tokens >= 1 else { return max(1, Int(((1 - bucket.tokens) / perSecond).rounded(.up))) }
      bucket.tokens -= 1
      return nil
    }
  }
}
