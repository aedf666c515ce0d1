import Foundation
import Glibc
import TestSupport

/// A process that is killed when its owner is gone or this process ends in any way: a shell beside it waits for the end of
/// a pipe that only this process holds.
final class KeptProcess: Sendable {
  private let folder: String
  private let pipe: Int32
  private let shell: pid_t

  private static let script = """
    folder=$1; shift
    "$@" </dev/null >"$folder/out" 2>"$folder/errors" &
    cat >/dev/null
    kill -9 $!
    wait $! 2>/dev/null
    """

  init(_ arguments: [String], folder: String) throws {
    self.folder = folder
    var ends: [Int32] = [0, 0]
    guard Glibc.pipe(&ends) == 0 else { throw Program.Failure(description: "no pipe") }
    // Other processes that are started meanwhile must not hold it open.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var words: [UnsafeMutablePointer<CChar>?] =
      (["/bin/sh", "-c", Self.script, "sh", folder] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var pid: pid_t = 0
    let failure = posix_spawn(&pid, "/bin/sh", &actions, nil, &words, environ)
    close(ends[0])
    (pipe, shell) = (ends[1], pid)
    guard failure == 0 else {
      close(pipe)
      throw Program.Failure(description: String(cString: strerror(failure)))
    }
  }

  /// What the process wrote about its failures, for the message of a test.
  var errors: String {
    ["errors", "server.errors"].map { (try? String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8)) ?? "" }
      .joined(separator: "\n")
  }

  deinit {
    close(pipe)
    var status: Int32 = 0
    while waitpid(shell, &status, 0) < 0, errno == EINTR {}
  }
}

/// Ports of this machine that no process uses.
enum FreePorts {
  static func reserve(_ count: Int) throws -> [Int] {
    var sockets: [Int32] = []
    // All are open at once, so that they differ.
    defer { for socket in sockets { close(socket) } }
    return try (0..<count).map { _ in
      guard let (listening, port) = TCPSocket.listening() else {
        throw Program.Failure(description: "no free port")
      }
      sockets.append(listening)
      return port
    }
  }
}
