import Core
import Storage

/// The admission of requests with a token, before their bodies are received.
extension AccessCacheRefresher {
  /// Suspends a request until the next refresh, because its key or token may just have been added.
  func askAgain(at now: Timestamp) -> Admission {
    .askAgain { [self] wake in if !waits(at: now, wake) { wake() } }
  }

  /// Returns the admission from `admit` if the request's token is known and allowed; otherwise refuses it with
  /// `unauthorized`.
  func admit(
    _ head: borrowing RequestHead, unauthorized: Response, where isAllowed: (AccessToken, Timestamp) -> Bool,
    _ admit: (AccessToken) -> Admission
  ) -> Admission {
    guard let text = head.header("Authorization").flatMap(IngestHeaders.bearer) else { return .refuse(unauthorized) }
    let now = backend.now()
    if let token = cache.knownToken(text), isAllowed(token, now) { return admit(token) }
    return head.isAskedAgain ? .refuse(unauthorized) : askAgain(at: now)
  }
}
