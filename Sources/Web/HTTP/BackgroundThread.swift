internal import Glibc

/// A POSIX thread that runs one closure. Its owner joins it.
struct BackgroundThread: Sendable {
  private let thread: pthread_t

  init(_ body: @escaping @Sendable () -> Void) throws(HTTPServerError) {
    let work = Unmanaged.passRetained(Work(body))
    var thread = pthread_t()
    let number = pthread_create(&thread, nil, run, work.toOpaque())
    guard number == 0 else {
      work.release()
      throw HTTPServerError(.system, "Cannot start a thread: \(String(cString: strerror(number))).")
    }
    self.thread = thread
  }

  func join() { pthread_join(thread, nil) }
}

private final class Work: Sendable {
  let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

private func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
  return nil
}
