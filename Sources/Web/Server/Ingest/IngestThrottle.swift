import Core
import Ingest
import Storage
import Synchronization

/// The limits of one app, checked at the headers: requests per second, rows and bytes per day, decoding time, and bytes
/// that wait for the journal.
struct IngestThrottle: Sendable {
  let intake: Intake
  let rows: WriteQuota
  let shares = DecodingTimeShares(threads: 2)
  private let rate: RateLimiter

  init(intake: Intake, rows: WriteQuota, requestsPerSecond: Int) {
    self.intake = intake
    self.rows = rows
    rate = RateLimiter(perSecond: requestsPerSecond)
  }

  /// The limit that an app has exceeded at `now`; nil if it may send. `rate`: a limiter that replaces the general one.
  func refusal(of app: AppID, at now: Timestamp, _ rate: RateLimiter? = nil) -> IngestRefusal? {
    if let seconds = (rate ?? self.rate).take(app, at: now) { return .limited(.requests, seconds: seconds) }
    if let (limit, seconds) = rows.spent(app, at: now) { return .limited(limit, seconds: seconds) }
    if !shares.admits(app) { return .limited(.share, seconds: 1) }
    switch intake.room(for: app) {
    case .enough: return nil
    case .appHasTooMuch: return .limited(.unwritten, seconds: 2)
    case .none: return .unavailable(seconds: 5)
    }
  }
}

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
