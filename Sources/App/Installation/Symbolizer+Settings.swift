internal import Analysis
import ClickHouseStore
import Core
import Foundation
public import Ingest
import Logging
internal import SQLiteStore
internal import Storage
public import Symbols
import Web

extension Symbolizer {
  /// The symbolizer of this process. Its child processes are `llvm-symbolizer` and this executable.
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
      demangler: DemanglerProcess(command: [own, "demangle-names"], sandbox: limits.sandbox), limits: limits,
      clock: WallClock.now, report: report)
  }
}

extension Symbolizer: SymbolLookup {}
