internal import CChildProcess
internal import Glibc

/// A sandboxed child process that responds to each line with one line: `llvm-symbolizer` or `plumb demangle-names`. For
/// one thread at a time.
final class LineProcess {
  /// The reason why a child sent no response. The child must not be used afterwards.
  enum Failure: Error, Equatable {
    /// The child process ended, or could not be started.
    case ended
    /// The child's response exceeded its time limit.
    case late
    /// The child's response was malformed or too large.
    case confused
    /// The kernel has no Landlock, and `symbols-sandbox` requires it.
    case unconfined
  }

  let process: Int32
  private let socket: Int32
  private let limits: ChildLimits
  private var unread: [UInt8] = []
  private var room = [UInt8](repeating: 0, count: 64 << 10)

  /// The maximum size of the responses to one batch, in bytes.
  private static let mostUnread = 64 << 20

  /// Starts the child.
  ///
  /// - Parameters:
  ///   - command: the program's path and its arguments.
  ///   - folder: the working directory, to which paths in requests are relative.
  ///   - readable: the only paths the child may read, if the kernel has Landlock.
  ///   - environment: variables in addition to those of every child.
  init(
    command: [String], folder: String, readable: [String], environment: [String] = [], limits: ChildLimits
  ) throws(Failure) {
    guard let program = command.first else { throw .ended }
    guard limits.landlockVersion > 0 || limits.sandbox == .prefer else { throw .unconfined }
    // The child does not inherit this process's environment, which may contain proxies and debuginfod servers.
    let environment = ["LC_ALL=C", "HOME=/nonexistent", "DEBUGINFOD_URLS="] + environment
    var (process, socket) = (Int32(0), Int32(-1))
    let most = plumb_child_limits(
      memory: limits.memory, processor_seconds: limits.processorSeconds, open_files: 64, niceness: 10,
      landlock_version: limits.landlockVersion)
    let failure = Self.withTexts(command) { arguments in
      Self.withTexts(environment) { environment in
        Self.withTexts(readable) { readable in
          let readable = UnsafeRawPointer(readable).assumingMemoryBound(to: UnsafePointer<CChar>?.self)
          return plumb_child_start(program, folder, arguments, environment, readable, most, &process, &socket)
        }
      }
    }
    guard failure == 0 else { throw .ended }
    (self.process, self.socket, self.limits) = (process, socket, limits)
  }

  deinit {
    close(socket)
    _ = plumb_child_kill(process)
  }

  /// The child's resident memory, in bytes.
  var memory: Int { Int(clamping: plumb_child_memory(process)) }

  /// Writes all `questions`, each a line without its end, and passes the responses to `answer` in the same order.
  func ask(_ questions: [String], _ answer: (Int, ArraySlice<UInt8>) throws(Failure) -> Void) throws(Failure) {
    let text = Array((questions.joined(separator: "\n") + "\n").utf8)
    var sent = 0
    var answered = 0
    var deadline = Self.now + limits.answerMilliseconds
    while answered < questions.count {
      let canSend = try wait(until: deadline, toSend: sent < text.count)
      if canSend { sent += try send(text[sent...]) }
      try receive()
      let before = answered
      var start = 0
      while answered < questions.count, let end = endOfLine(from: start) {
        try answer(answered, unread[start..<end])
        answered += 1
        start = end + 1
      }
      unread.removeFirst(start)
      if answered > before { deadline = Self.now + limits.answerMilliseconds }
    }
    guard unread.isEmpty else { throw .confused }
  }

  private func endOfLine(from start: Int) -> Int? {
    unread.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, let end = memchr(base + start, 10, bytes.count - start) else { return nil }
      return UnsafeRawPointer(end) - base
    }
  }

  /// Waits until the socket can be read or, with `toSend`, written. Returns whether it can be written.
  private func wait(until deadline: Int64, toSend: Bool) throws(Failure) -> Bool {
    var entry = pollfd(fd: socket, events: Int16(POLLIN) | (toSend ? Int16(POLLOUT) : 0), revents: 0)
    while true {
      let rest = deadline - Self.now
      guard rest > 0 else { throw .late }
      let ready = poll(&entry, 1, Int32(clamping: rest))
      if ready > 0 { return entry.revents & Int16(POLLOUT) != 0 }
      if ready < 0, errno != EINTR { throw .ended }
    }
  }

  private func send(_ bytes: ArraySlice<UInt8>) throws(Failure) -> Int {
    let sent = bytes.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    if sent >= 0 { return sent }
    guard errno == EAGAIN || errno == EINTR else { throw .ended }
    return 0
  }

  private func receive() throws(Failure) {
    var isEmpty = false
    while !isEmpty {
      guard unread.count < Self.mostUnread else { throw .confused }
      let read = room.withUnsafeMutableBytes { Glibc.recv(socket, $0.baseAddress, $0.count, 0) }
      if read > 0 { unread += room[..<read] }
      if read == 0 { throw .ended }
      if read < 0 {
        guard errno == EAGAIN || errno == EINTR else { throw .ended }
        isEmpty = errno == EAGAIN
      }
    }
  }

  private static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// Passes texts as a C array of pointers that is terminated by nil.
  private static func withTexts<Result>(
    _ texts: [String], _ use: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    var pointers = texts.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { preconditionFailure("An array with an element has an address.") }
      return use(start)
    }
  }
}
