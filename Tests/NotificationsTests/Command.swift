import Foundation

/// Where the programs are that receive.
enum Receivers {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path

  /// The program of that name beside these tests.
  static func path(_ name: String) -> String { "\(root)/Tests/NotificationsTests/Receivers/\(name)" }

  /// Alertmanager; nil when it is not installed.
  static let alertmanager = [
    "\(root)/.build/alertmanager/usr/bin/prometheus-alertmanager", "/usr/bin/prometheus-alertmanager",
  ].first(where: FileManager.default.isExecutableFile(atPath:))

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
    let folder = FileManager.default.temporaryDirectory
    let inputFile = folder.appendingPathComponent("plumb-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: inputFile) }
    try Data(input).write(to: inputFile)
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardInput = try FileHandle(forReadingFrom: inputFile)
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(description: "\(program) \(arguments) ended with \(process.terminationStatus)")
    }
    return bytes
  }
}

/// A program that runs until its owner is gone, with a folder of its own.
final class Service: @unchecked Sendable {
  // Invariant: the process is started and stopped by the one test that made it.
  private let process = Process()
  let folder: String

  init(_ program: String, folder: String, _ arguments: [String]) throws {
    self.folder = folder
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.currentDirectoryURL = URL(filePath: folder)
    let log = folder + "/log"
    _ = FileManager.default.createFile(atPath: log, contents: nil)
    let handle = try existing(FileHandle(forWritingAtPath: log))
    process.standardOutput = handle
    process.standardError = handle
    process.standardInput = FileHandle.nullDevice
    try process.run()
  }

  var log: String { (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? "" }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }
}

private func existing<Value>(_ value: Value?) throws -> Value {
  guard let value else { throw Command.Failure(description: "nothing there") }
  return value
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
  for _ in 0..<2000 {
    if try condition() { return true }
    usleep(10_000)
  }
  return false
}
