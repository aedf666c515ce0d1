import ArgumentParser
import Foundation
import SQLiteStore
import Symbols

extension Installation {
  /// The uploaded symbols. `symbols-limit` bounds them, in bytes.
  func symbols(_ settings: Settings) throws -> SymbolFolder {
    let limit = try settings.bytes("symbols-limit", default: 20 << 30)
    return try SymbolFolder(path: folder.symbols, limit: limit)
  }
}

extension Symbolizer {
  /// The one of this process, whose children are `llvm-symbolizer` and this program itself.
  static func ofProcess(
    _ folder: SymbolFolder, _ settings: Settings, report: @escaping @Sendable (String) -> Void
  ) throws -> Symbolizer {
    var limits = ChildLimits()
    limits.sandbox = try settings.sandbox()
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
    let program = SymbolizerProgram.find(setting: settings.value("symbolizer", flag: nil), path: path)
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    return Symbolizer(
      folder: folder, program: program,
      demangler: NameDemangler(command: [own, "demangle-names"], sandbox: limits.sandbox), limits: limits,
      clock: Clock.now, report: report)
  }
}

extension Settings {
  /// What to do where the kernel cannot confine the programs that read symbols.
  func sandbox() throws -> ChildSandbox {
    guard let text = value("symbols-sandbox", flag: nil) else { return .prefer }
    guard let sandbox = ChildSandbox(rawValue: text) else {
      throw ValidationError("symbols-sandbox must be prefer or require.")
    }
    return sandbox
  }

  /// A number of bytes above 0.
  func bytes(_ key: String, default standard: Int) throws -> Int {
    guard let text = value(key, flag: nil) else { return standard }
    guard let number = Int(text), number > 0 else { throw ValidationError("\(key) must be a whole number above 0.") }
    return number
  }
}
