import Core
import Ingest
import Storage

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
