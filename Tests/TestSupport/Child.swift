public import Foundation
import Glibc
import Synchronization

/// How a process ended.
public enum Ending: Equatable, Sendable {
  case exit(Int32)
  case signal(Int32)
}

/// A program that runs as a process of its own, with its output in files.
public final class Child: @unchecked Sendable {
  // Invariant: started, signalled and waited for by the one test that made it; `ending` is read elsewhere under its lock.
  public let pid: pid_t
  public let outputFile: String
  public let errorFile: String
  private let state = Mutex<Ending?>(nil)
  private var ending: Ending? { state.withLock { $0 } }

  /// Starts `program` in `folder` with exactly this environment. Output goes to `FOLDER/NAME.out` and `.err`. `Process` of
  /// Foundation waits by a run loop, which threads of tests have none of.
  public init(
    _ program: String, _ arguments: [String], environment: [String: String] = ProcessInfo.processInfo.environment,
    folder: String, name: String = "run", input: String = "/dev/null"
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
    guard failure == 0 else { throw Program.Failure(description: "\(program): \(String(cString: strerror(failure)))") }
    self.pid = pid
  }

  deinit { if ending == nil { _ = waitFor(seconds: 0) } }

  public var output: String { (try? String(contentsOfFile: outputFile, encoding: .utf8)) ?? "" }
  public var errors: String { (try? String(contentsOfFile: errorFile, encoding: .utf8)) ?? "" }

  /// Sends it a signal.
  public func signal(_ number: Int32) { kill(pid, number) }

  /// Kills it from another thread, unless it has ended: its number could belong to another process by then.
  public func abandon() {
    state.withLock { if $0 == nil { kill(pid, SIGKILL) } }
  }

  /// Waits for the end. A process that does not end in time is killed, and nil is the answer.
  public func waitFor(seconds: Double) -> Ending? {
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

/// Programs that tests run to their end or look for.
public enum Program {
  /// Why a program could not do what it was asked.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String

    public init(description: String) { self.description = description }
  }

  /// The command, which the build puts beside the tests.
  public static let plumb: String = {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    return URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("plumb").path
  }()

  /// The path of an installed program.
  public static func find(_ name: String) -> String? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
    return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// A program that `make clients` installed; nil where it did not.
  public static func client(_ name: String) -> String? {
    let path = Checkout.path(".build/clients/bin/\(name)")
    return FileManager.default.isExecutableFile(atPath: path) ? path : nil
  }

  /// The Python of `make clients`, or of `ORACLE_PYTHON`, when it has this module.
  public static func python(with module: String) -> String? {
    guard let python = ProcessInfo.processInfo.environment["ORACLE_PYTHON"] ?? client("python") else { return nil }
    return (try? output(python, ["-c", "import \(module)"])).map { _ in python }
  }

  /// What a program writes for this input; both go through files, so that neither waits for the other. The program may be
  /// the name of one that is installed.
  @discardableResult
  public static func output(_ program: String, _ arguments: [String], input: [UInt8] = []) throws -> [UInt8] {
    try withFolder { folder in
      try Data(input).write(to: URL(filePath: folder + "/in"))
      let child = try Child(program, arguments, folder: folder, input: folder + "/in")
      let ending = child.waitFor(seconds: 600)
      guard ending == .exit(0) else {
        let end = ending.map { "\($0)" } ?? "no end"
        throw Failure(description: "\(program) \(arguments.joined(separator: " ")): \(end), \(child.errors)")
      }
      return [UInt8](try Data(contentsOf: URL(filePath: child.outputFile)))
    }
  }

  /// Whether a program ends well.
  public static func succeeds(_ program: String, _ arguments: [String]) -> Bool {
    (try? output(program, arguments)) != nil
  }

  /// What a program writes, as text.
  public static func text(_ program: String, _ arguments: [String], input: String = "") throws -> String {
    String(decoding: try output(program, arguments, input: Array(input.utf8)), as: UTF8.self)
  }
}

/// SQLite's own program, so that what tests do to a file, or read from it, does not pass through Plumb's code.
public enum SQLFile {
  /// Lines of a query's rows.
  @discardableResult
  public static func run(_ sql: String, in path: String) throws -> [String] {
    try Program.text("sqlite3", ["-cmd", ".timeout 10000", path, sql]).split(separator: "\n").map(String.init)
  }

  /// The number that a query gives; nil when it gives none.
  public static func number(_ sql: String, in path: String) throws -> Int? {
    try run(sql, in: path).first.flatMap { Int($0) }
  }
}
