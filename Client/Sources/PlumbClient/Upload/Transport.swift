import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Carries files to the server. The uploader decides what to send and what an answer means.
protocol Transport: AnyObject, Sendable {
  /// Called once, before anything is sent. `ended` takes the name of a file and how its upload ended, also for uploads
  /// that an earlier process began. `underway` takes the names of these, before which nothing is sent.
  func begin(
    ended: @escaping @Sendable (String, UploadResult) -> Void, underway: @escaping @Sendable (Set<String>) -> Void)

  /// Sends `file` as the body of `request`.
  func send(_ request: URLRequest, file: URL, name: String)
}
