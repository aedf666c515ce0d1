import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends files to the server. The uploader decides what to send and how to handle an answer.
protocol Transport: AnyObject, Sendable {
  /// Called once, before anything is sent. `ended` receives the name of a file and the outcome of its upload, including
  /// uploads that an earlier process began. `underway` receives the names of those uploads; nothing is sent before.
  func begin(
    ended: @escaping @Sendable (String, UploadResult) -> Void, underway: @escaping @Sendable (Set<String>) -> Void)

  /// Sends `file` as the body of `request`.
  func send(_ request: URLRequest, file: URL, name: String)

  /// Cancels every upload, also those that an earlier process began. Each ends without an answer.
  func cancelAll()
}
