import Foundation

/// A program that may be there.
struct Tool: Sendable {
  let path: String?

  static let zstd = Tool("zstd")
  static let brotli = Tool("brotli")
  static let python = Tool("python3")

  init(_ name: String) {
    path = ["/usr/bin/", "/usr/local/bin/"].map { $0 + name }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  var isThere: Bool { path != nil }

  /// What it writes for this input, which goes through files, so that neither side waits for the other.
  func run(_ arguments: [String], _ input: [UInt8]) throws -> Data {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("plumb-tool-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (source, target) = (folder.appendingPathComponent("in"), folder.appendingPathComponent("out"))
    try Data(input).write(to: source)
    try Data().write(to: target)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path ?? "/bin/false")
    process.arguments = arguments
    process.standardInput = try FileHandle(forReadingFrom: source)
    process.standardOutput = try FileHandle(forWritingTo: target)
    try process.run()
    process.waitUntilExit()
    return try Data(contentsOf: target)
  }
}
