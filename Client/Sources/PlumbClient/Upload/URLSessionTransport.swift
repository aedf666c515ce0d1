import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Uploads with `URLSession`. With an identifier, the OS continues them while the app is suspended and after it ended.
final class URLSessionTransport: NSObject, Transport, @unchecked Sendable {
  // Invariant: `session` and `ended` are set once, by `begin`, before anything is sent.
  private let identifier: String?
  private let allowsCellular: Bool
  private var session: URLSession?
  private var ended: (@Sendable (String, UploadResult) -> Void)?

  /// `identifier`: the background session's; nil for uploads that end with the process.
  init(identifier: String?, allowsCellular: Bool = true) {
    self.identifier = identifier
    self.allowsCellular = allowsCellular
  }

  func begin(
    ended: @escaping @Sendable (String, UploadResult) -> Void, underway: @escaping @Sendable (Set<String>) -> Void
  ) {
    self.ended = ended
    let session = URLSession(configuration: configuration(identifier), delegate: self, delegateQueue: nil)
    self.session = session
    session.getAllTasks { tasks in underway(Set(tasks.compactMap(\.taskDescription))) }
  }

  func send(_ request: URLRequest, file: URL, name: String) {
    guard let session else { return }
    #if canImport(FoundationNetworking)
      // On Linux, Foundation reads a file in parallel with libcurl. It traps if a chunk is ready after the connection
      // is gone, because libcurl then refuses to continue the transfer (EasyHandle.swift, "libcurl.Easy Code=43").
      guard let body = try? Data(contentsOf: file) else {
        ended?(name, .failed)
        return
      }
      let task = session.uploadTask(with: request, from: body)
    #else
      // A background session accepts only files.
      let task = session.uploadTask(with: request, fromFile: file)
    #endif
    task.taskDescription = name
    task.resume()
  }

  func cancelAll() {
    session?.getAllTasks { tasks in
      for task in tasks { task.cancel() }
    }
  }

  private func configuration(_ identifier: String?) -> URLSessionConfiguration {
    #if canImport(FoundationNetworking)
      let configuration = URLSessionConfiguration.default
    #else
      let configuration = identifier.map { URLSessionConfiguration.background(withIdentifier: $0) } ?? .ephemeral
      // Uploads are never urgent enough to start the app. The next launch gets their outcomes.
      configuration.sessionSendsLaunchEvents = false
      configuration.isDiscretionary = false
    #endif
    configuration.allowsCellularAccess = allowsCellular
    configuration.timeoutIntervalForRequest = 60
    // A background session retries on its own when the network allows it. After a day, the uploader decides again.
    configuration.timeoutIntervalForResource = 86_400
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    return configuration
  }
}

extension URLSessionTransport: URLSessionDataDelegate {
  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
    guard let name = task.taskDescription else { return }
    guard error == nil, let response = task.response as? HTTPURLResponse else {
      ended?(name, .failed)
      return
    }
    #if !canImport(FoundationNetworking)
      if identifier != nil, let request = task.originalRequest, request.url != response.url {
        return findMove(of: name, request, result: UploadResult(response))
      }
    #endif
    ended?(name, UploadResult(response))
  }

  #if !canImport(FoundationNetworking)
    /// In a background session the OS follows redirections without asking, and leaves the key out on the way to another
    /// host. If the file was not delivered, a request without body finds out whether the server has moved for good.
    private func findMove(of name: String, _ request: URLRequest, result: UploadResult) {
      guard UploadDecision(result) == .misdirected else {
        ended?(name, result)
        return
      }
      let session = URLSession(configuration: configuration(nil), delegate: self, delegateQueue: nil)
      let task = session.dataTask(with: request) { [ended] _, response, _ in
        if let response = response as? HTTPURLResponse, case .moved(let url) = UploadResult(response) {
          ended?(name, .moved(to: url))
        } else {
          ended?(name, result)
        }
      }
      task.resume()
      session.finishTasksAndInvalidate()
    }
  #endif

  /// A redirection is an answer: the uploader decides whether the other address may have the key.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
  ) { completionHandler(nil) }
}
