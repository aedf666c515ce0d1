import Foundation
import Testing
import TestSupport

/// A temporary folder with a data folder in it, and the real `plumb` to run there. Nothing of the caller's environment
/// or working directory is seen by it.
final class Stage: @unchecked Sendable {
  // Invariant: used by the one test that owns it; only `children` is seen by the watch, under its lock.
  private let temporary: TemporaryFolder
  private var started = 0
  private let children = Children()
  private let watch: any DispatchSourceTimer

  struct Outcome {
    var ending: Ending?
    var output: String
    var errors: String

    var succeeded: Bool { ending == .exit(0) }
  }

  /// `limit` is absolute, in seconds: then everything the test started is killed, and it fails.
  init(limit: Int = 900) throws {
    temporary = try TemporaryFolder("plumb-road")
    watch = children.killAll(after: limit)
  }

  deinit { watch.cancel() }

  var folder: String { temporary.path }

  /// The data folder.
  var data: String { folder + "/data" }

  /// Runs `plumb` to its end.
  func run(
    _ arguments: String..., input: String? = nil, environment: [String: String] = [:], limit: Double = 120
  ) throws -> Outcome {
    try run(program: Program.plumb, arguments, input: input, environment: environment, limit: limit)
  }

  /// Runs any program to its end.
  func run(
    program: String, _ arguments: [String], input: String? = nil, environment: [String: String] = [:],
    limit: Double = 120
  ) throws -> Outcome {
    let child = try start(arguments, program: program, input: input, environment: environment)
    let ending = child.waitFor(seconds: limit)
    return Outcome(ending: ending, output: child.output, errors: child.errors)
  }

  /// Starts a program.
  func start(
    _ arguments: [String], program: String = Program.plumb, input: String? = nil, pipe: String? = nil,
    environment: [String: String] = [:]
  ) throws -> Child {
    started += 1
    let name = "run-\(started)"
    var source = pipe ?? "/dev/null"
    if let input { source = try write(input, to: name + ".in") }
    let basic = ["PATH": "/usr/bin:/bin", "HOME": folder, "PLUMB_DATA": data]
    let child = try Child(
      program, arguments, environment: basic.merging(environment) { $1 }, folder: folder, name: name, input: source)
    children.add(child)
    return child
  }

  /// Writes a file into the stage's folder and gives its path.
  @discardableResult
  func write(_ text: String, to name: String) throws -> String { try temporary.write(text, to: name) }

  /// Adds an app and gives its key.
  func addApp(_ bundleID: String = Payload.app) throws -> String {
    let added = try run("app", "add", bundleID, "--format", "json")
    try #require(added.succeeded, "\(added.errors)")
    return try #require(try JSON(added.output)["key"].text)
  }

  /// Adds a read token and gives it.
  func addToken(_ name: String = "tests") throws -> String {
    let added = try run("token", "add", name)
    try #require(added.succeeded, "\(added.errors)")
    return added.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Starts `plumb serve` and waits until it listens.
  func serve(_ flags: String..., environment: [String: String] = [:]) throws -> ServerProcess {
    try ServerProcess(start(["serve", "--listen", "127.0.0.1:0"] + flags, environment: environment))
  }

  /// What `plumb report --format json` says.
  func report(_ flags: String..., of app: String = Payload.app) throws -> JSON {
    let told = try run(program: Program.plumb, ["report", "--app", app, "--format", "json"] + flags)
    try #require(told.succeeded, "\(told.errors)")
    return try JSON(told.output)
  }

  /// Asks for the report until it satisfies the condition, for 90 seconds: the server digests every two.
  func report(of app: String = Payload.app, until condition: (JSON) -> Bool) throws -> JSON {
    var found = try report(of: app)
    _ = try eventually(within: 90) {
      if condition(found) { return true }
      found = try report(of: app)
      return condition(found)
    }
    return found
  }
}

/// A `plumb serve` that listens.
final class ServerProcess: @unchecked Sendable {
  // Invariant: `child` is not changed after init; see there.
  let child: Child
  let port: Int

  /// Waits until the log tells the port.
  init(_ child: Child) throws {
    self.child = child
    var port: Int?
    _ = eventually(within: 90) {
      port = Self.port(in: child.errors)
      return port != nil
    }
    self.port = try #require(port, "the server did not come up: \(child.errors)")
  }

  func connect(timeout: Int = 60) -> HTTPClient { HTTPClient(port: port, timeout: timeout, owner: self) }

  /// Asks politely and waits for the end.
  func stop(seconds: Double = 60) -> Ending? {
    child.signal(SIGTERM)
    return child.waitFor(seconds: seconds)
  }

  func kill() {
    child.signal(SIGKILL)
    _ = child.waitFor(seconds: 5)
  }

  private static func port(in log: String) -> Int? {
    guard let found = log.range(of: "listens on http://127.0.0.1:"), log[found.upperBound...].contains("\n") else {
      return nil
    }
    return Int(log[found.upperBound...].prefix { $0.isNumber })
  }
}

extension ServerProcess {
  /// The most memory that it ever held, in bytes.
  func peakMemory() throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(child.pid)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return try #require(Int(line.split(whereSeparator: \.isWhitespace)[1])) << 10
  }

  /// The seconds of processor time that it has used: what it costs, however busy the machine is.
  func processorTime() throws -> Double {
    let stat = try String(contentsOfFile: "/proc/\(child.pid)/stat", encoding: .utf8)
    // After the name, which is in parentheses, `utime` and `stime` are the twelfth and thirteenth word.
    let words = try #require(stat.split(separator: ")").last).split(separator: " ")
    return (try #require(Double(words[11])) + #require(Double(words[12]))) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}
