import Foundation

/// Where the programs are that receive.
enum Receivers {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path

  /// The program of that name beside these tests.
  static func path(_ name: String) -> String { "\(root)/Tests/NotificationsTests/Receivers/\(name)" }

  /// Alertmanager; nil when it is not installed.
  static let alertmanager = ["/usr/bin/prometheus-alertmanager"].first(
    where: FileManager.default.isExecutableFile(atPath:))

  /// The Python that has aiosmtpd; nil when it is not installed.
  static let mailPython: String? = {
    let python = "\(root)/.build/clients/bin/python"
    guard FileManager.default.isExecutableFile(atPath: python) else { return nil }
    return (try? Command.run(python, ["-c", "import aiosmtpd"])).map { _ in python }
  }()
}

/// A program that is run to its end.
enum Command {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  @discardableResult
  static func run(_ program: String, _ arguments: [String], input: [UInt8] = []) throws -> Data {
    try withFolder { folder in
      try Data(input).write(to: URL(filePath: folder + "/in"))
      let pid = try spawn(
        program, arguments, folder: folder, input: folder + "/in", output: folder + "/out", errors: folder + "/err")
      let status = wait(pid)
      guard status == 0 else {
        let errors = (try? String(contentsOfFile: folder + "/err", encoding: .utf8)) ?? ""
        throw Failure(description: "\(program) \(arguments) ended with \(status): \(errors)")
      }
      return try Data(contentsOf: URL(filePath: folder + "/out"))
    }
  }

  /// Starts a program in `folder`; `Process` of Foundation waits by a run loop, which these threads have none of.
  static func spawn(
    _ program: String, _ arguments: [String], folder: String, input: String, output: String, errors: String
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    // `env` becomes the program itself, in another working directory.
    var words: [UnsafeMutablePointer<CChar>?] = (["/usr/bin/env", "-C", folder, program] + arguments).map { strdup($0) }
    words.append(nil)
    var variables: [UnsafeMutablePointer<CChar>?] = ProcessInfo.processInfo.environment.map { strdup("\($0)=\($1)") }
    variables.append(nil)
    defer { for word in words + variables { free(word) } }
    var pid: pid_t = 0
    let failure = posix_spawn(&pid, "/usr/bin/env", &actions, nil, words, variables)
    guard failure == 0 else { throw Failure(description: "\(program): \(String(cString: strerror(failure)))") }
    return pid
  }

  /// The exit status, or the number of the signal and 128.
  @discardableResult
  static func wait(_ pid: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    return status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f)
  }
}

/// A program that runs until its owner is gone, with a folder of its own.
final class Service: Sendable {
  private let pid: pid_t
  let folder: String

  init(_ program: String, folder: String, _ arguments: [String]) throws {
    self.folder = folder
    pid = try Command.spawn(
      program, arguments, folder: folder, input: "/dev/null", output: folder + "/log", errors: folder + "/errors")
  }

  var log: String { (try? String(contentsOfFile: folder + "/errors", encoding: .utf8)) ?? "" }

  deinit {
    kill(pid, SIGKILL)
    Command.wait(pid)
  }
}

/// Runs `body` with a folder of its own.
func withFolder<Value>(_ body: (String) throws -> Value) throws -> Value {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("plumb-\(UUID().uuidString)").path
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
  defer { try? FileManager.default.removeItem(atPath: folder) }
  return try body(folder)
}

/// Whether the condition becomes true within twenty seconds.
func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
  let end = ContinuousClock.now + .seconds(20)
  while ContinuousClock.now < end {
    if try condition() { return true }
    usleep(20_000)
  }
  return false
}
