import Foundation

/// The real `plumb`, run in a temporary folder without the caller's environment.
struct PlumbProgram {
  let path: String
  /// The working directory. Its subfolder `data` is the data folder.
  let folder: URL

  /// The program in the variable `PLUMB`, or the one that the build puts beside this one.
  static var path: String {
    if let path = ProcessInfo.processInfo.environment["PLUMB"] { return path }
    let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    return own.deletingLastPathComponent().appendingPathComponent("plumb").path
  }

  struct Outcome {
    var status: Int32
    var output: String
    var errors: String
  }

  /// Runs a command and waits for its end.
  func run(_ arguments: String...) throws -> Outcome {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments + ["--data", folder.appendingPathComponent("data").path]
    process.currentDirectoryURL = folder
    process.environment = ["PATH": "/usr/bin:/bin", "HOME": folder.path]
    process.standardInput = FileHandle.nullDevice
    let output = Pipe()
    let errors = folder.appendingPathComponent("errors")
    try Data().write(to: errors)
    let errorHandle = try FileHandle(forWritingTo: errors)
    (process.standardOutput, process.standardError) = (output, errorHandle)
    try process.run()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    try errorHandle.close()
    return Outcome(
      status: process.terminationStatus, output: String(decoding: text, as: UTF8.self),
      errors: try String(contentsOf: errors, encoding: .utf8))
  }
}
