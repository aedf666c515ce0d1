internal import Glibc
internal import Synchronization

/// A one-time signal that wakes the server's threads when it stops: a pipe whose writing end is closed.
final class StopPipe: Sendable {
  private let reading: Int32
  private let writing: Int32
  private let sent = Atomic<Bool>(false)

  init() throws(HTTPServerError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw HTTPServerError(.system, "Cannot create a pipe: \(String(cString: strerror(errno))).")
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (reading, writing) = (ends[0], ends[1])
  }

  deinit {
    send()
    close(reading)
  }

  /// Sends the signal: all current and future waits return.
  func send() {
    if !sent.exchange(true, ordering: .acquiringAndReleasing) { close(writing) }
  }

  /// Waits for the signal, until `descriptor` is readable (-1 for none), or until the time has passed. Returns true if
  /// signalled.
  func wait(orReadable descriptor: Int32 = -1, milliseconds: Int64) -> Bool {
    var polled = [
      pollfd(fd: reading, events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
    ]
    poll(&polled, 2, Int32(clamping: milliseconds))
    return polled[0].revents != 0
  }
}
