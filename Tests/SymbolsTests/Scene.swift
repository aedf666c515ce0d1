import Foundation
import Synchronization
import Testing
import TestSupport

@testable import Core
@testable import Symbols

/// A temporary folder for symbols, the dSYMs of `Fixtures`, and the real programs.
final class Scene: Sendable {
  private let temporary: TemporaryFolder
  let folder: SymbolFolder
  private let sentences = Mutex<[String]>([])

  init(limit: Int = 1 << 30) throws {
    temporary = try TemporaryFolder("plumb-symbols")
    folder = try SymbolFolder(path: temporary.path + "/symbols", limit: limit)
  }

  var root: String { temporary.path }

  static let till = "4C4C445C55553144A1FAE3FB6B3BE1DB"
  static let receipts = "4C4C44BD55553144A17C26FD0AD97C6C"
  static let fixtures = Checkout.path("Tests/SymbolsTests/Fixtures")
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

  static let demangler = DemanglerProcess(command: [Program.plumb, "demangle-names"])
}

/// Programs that tests need, and where they are.
enum Programs {
  static let symbolizer = SymbolizerProgram.find(
    setting: nil, path: ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin")

  static let missing = "llvm-symbolizer is not installed: Debian's package llvm and Swift's toolchain have it"

  /// Part of every Swift toolchain.
  static let swiftDemangle = Program.find("swift-demangle")

  /// The Python that has PyPI's `symbolic`.
  static let python = Program.python(with: "symbolic")
}
