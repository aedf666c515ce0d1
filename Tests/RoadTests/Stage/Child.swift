import Foundation
import Synchronization

/// How a process ended.
enum Ending: Equatable {
  case exit(Int32)
  case signal(Int32)
}

/// A program that runs as a process of its own, with its output in files.
final class Child: @unchecked Sendable {
  // Invariant: started, signalled and waited for by the one test that made it; `ending` is read elsewhere under its lock.
  let pid: pid_t
  let outputFile: String
  let errorFile: String
  private let state = Mutex<Ending?>(nil)
  private var ending: Ending? { state.withLock { $0 } }

  struct StartFailure: Error { let number: Int32 }

  /// Starts `program` in `folder` with exactly this environment. Output goes to `FOLDER/NAME.out` and `.err`.
  init(
    _ program: String, _ arguments: [String], environment: [String: String], folder: String, name: String, input: String
  ) throws {
    outputFile = "\(folder)/\(name).out"
    errorFile = "\(folder)/\(name).err"
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, outputFile, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, errorFile, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    // `env` becomes the program itself, in another working directory.
    let line = ["/usr/bin/env", "-C", folder, program] + arguments
    var words: [UnsafeMutablePointer<CChar>?] = line.map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for word in words + variables { free(word) } }
    var pid: pid_t = 0
    let failure = posix_spawn(&pid, line[0], &actions, nil, &words, &variables)
    guard failure == 0 else { throw StartFailure(number: failure) }
    self.pid = pid
  }

  deinit { if ending == nil { _ = waitFor(seconds: 0) } }

  var output: String { (try? String(contentsOfFile: outputFile, encoding: .utf8)) ?? "" }
  var errors: String { (try? String(contentsOfFile: errorFile, encoding: .utf8)) ?? "" }

  func signal(_ number: Int32) { kill(pid, number) }

  /// Kills it from another thread, unless it has ended: its number could belong to somebody else by then.
  func abandon() {
    state.withLock { if $0 == nil { kill(pid, SIGKILL) } }
  }

  /// Waits for the end. A process that does not end in time is killed, and nil is the answer.
  func waitFor(seconds: Double) -> Ending? {
    if let ending { return ending }
    let deadline = Date().addingTimeInterval(seconds)
    while true {
      if let found = reap(WNOHANG) { return found }
      if Date() >= deadline { break }
      usleep(3000)
    }
    kill(pid, SIGKILL)
    while reap(WNOHANG) == nil { usleep(1000) }
    return nil
  }

  private func reap(_ options: Int32) -> Ending? {
    state.withLock { ending in
      var status: Int32 = 0
      guard waitpid(pid, &status, options) == pid else { return nil }
      let number = status & 0x7f
      ending = number == 0 ? .exit((status >> 8) & 0xff) : .signal(number)
      return ending
    }
  }
}
