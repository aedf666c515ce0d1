import Foundation
import Synchronization
import Testing

@testable import Core
@testable import Symbols

/// A temporary folder for symbols, the dSYMs of `Fixtures`, and the real programs.
final class Scene: Sendable {
  let root: String
  let folder: SymbolFolder
  private let sentences = Mutex<[String]>([])

  init(limit: Int = 1 << 30) throws {
    root = FileManager.default.temporaryDirectory.path + "/plumb-symbols-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    folder = try SymbolFolder(path: root + "/symbols", limit: limit)
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  static let till = "4C4C445C55553144A1FAE3FB6B3BE1DB"
  static let receipts = "4C4C44BD55553144A17C26FD0AD97C6C"
  static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().path + "/Fixtures"
  static let now = Timestamp(milliseconds: 1_790_000_000_000)

  /// The path of the DWARF file in a fixture's dSYM.
  static func dwarf(_ name: String) -> String { "\(fixtures)/\(name).dSYM/Contents/Resources/DWARF/\(name)" }

  static func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: dwarf(name)))) }

  /// What an operator was told.
  var reports: [String] { sentences.withLock { $0 } }

  func add(_ name: String) throws -> SymbolReceipt {
    try folder.add(try #require(OpenFile(path: Self.dwarf(name))), named: name, at: Self.now)
  }

  func add(_ bytes: [UInt8], named name: String = "file") throws -> SymbolReceipt {
    let path = "\(root)/\(UUID().uuidString)"
    try Data(bytes).write(to: URL(filePath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try folder.add(try #require(OpenFile(path: path)), named: name, at: Self.now)
  }

  /// `program`: nil is the real one.
  func symbolizer(
    program: String? = nil, limits: ChildLimits = ChildLimits(), clock: @escaping @Sendable () -> Timestamp = { now }
  ) -> Symbolizer {
    Symbolizer(
      folder: folder, program: program ?? Programs.symbolizer, demangler: Self.demangler, limits: limits,
      clock: clock, report: { text in self.sentences.withLock { $0.append(text) } })
  }

  static let demangler = NameDemangler(command: [Programs.plumb, "demangle-names"])
}

/// Programs that tests need, and where they are.
enum Programs {
  static let symbolizer = SymbolizerProgram.find(
    setting: nil, path: ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin")

  static let missing = "llvm-symbolizer is not installed: Debian's package llvm and Swift's toolchain have it"

  /// The command, which the build puts beside the tests.
  static let plumb: String = {
    let own = SymbolizerProgram.real("/proc/self/exe") ?? CommandLine.arguments[0]
    return SymbolizerProgram.folder(own) + "/plumb"
  }()

  /// Part of every Swift toolchain.
  static let swiftDemangle = found("swift-demangle")

  /// The Python that has PyPI's `symbolic`.
  static let python: String? = {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().path
    let path = ProcessInfo.processInfo.environment["ORACLE_PYTHON"] ?? root + "/.build/clients/bin/python"
    guard FileManager.default.isExecutableFile(atPath: path) else { return nil }
    return (try? run([path, "-c", "import symbolic"])) == nil ? nil : path
  }()

  static func found(_ name: String) -> String? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  struct Failed: Error { let status: Int32 }

  /// What a program writes; its input comes from a file, so that neither waits for the other.
  static func run(_ command: [String], input: String = "") throws -> String {
    let folder = FileManager.default.temporaryDirectory.path
    let (source, target) = ("\(folder)/\(UUID().uuidString)", "\(folder)/\(UUID().uuidString)")
    try Data(input.utf8).write(to: URL(filePath: source))
    try Data().write(to: URL(filePath: target))
    defer { for path in [source, target] { try? FileManager.default.removeItem(atPath: path) } }
    let process = Process()
    process.executableURL = URL(filePath: command[0])
    process.arguments = Array(command.dropFirst())
    process.standardInput = try FileHandle(forReadingFrom: URL(filePath: source))
    process.standardOutput = try FileHandle(forWritingTo: URL(filePath: target))
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failed(status: process.terminationStatus) }
    return try String(contentsOfFile: target, encoding: .utf8)
  }
}

/// SplitMix64 (Steele, Lea and Flood 2014): the same numbers for the same seed.
struct Seeded: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
