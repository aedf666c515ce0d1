import Foundation
import Testing
import TestSupport

@testable import Core
@testable import Symbols

/// Two programs of other people say what the names of the fixtures are: PyPI's `symbolic`, which reads DWARF without LLVM,
/// and the toolchain's `swift-demangle`.
@Suite(.enabled(if: Programs.symbolizer != nil, "\(Programs.missing)"))
struct OracleTests {
  @Test(
    "every address of every fixture has the function, file, line and inlined frames that symbolic finds",
    .enabled(if: Programs.python != nil, "`make clients` installs symbolic"), arguments: ["Till", "Receipts"])
  func everyAddress(name: String) throws {
    let python = try #require(Programs.python)
    let scene = try Scene()
    let stored = try #require(try scene.add(name).stored.first)
    let offsets = Array(stride(from: UInt64(0), to: 0x8000, by: 4))
    let script = Checkout.path("Tests/SymbolsTests/Oracle/symbolicate.py")
    let lines = try Program.text(python, [script, Scene.dwarf(name), "32768"]).split(separator: "\n")
    let frames = lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
    let short = try Self.short(Set(frames.map { $0[1] }))
    var placeless: Set<UInt64> = []
    var truth: [UInt64: [CallTree.Symbol]] = [:]
    for frame in frames {
      // symbolic drops the places of a few functions at a sequence's end: there only their names are compared.
      let isMade = frame[2] == "<compiler-generated>" || frame[2] == "None"
      if frame[2] == "None" { placeless.insert(try #require(UInt64(frame[0]))) }
      let line = Int(frame[3]).flatMap { $0 > 0 && !isMade ? $0 : nil }
      truth[try #require(UInt64(frame[0])), default: []].append(
        CallTree.Symbol(function: short[frame[1]] ?? frame[1], file: isMade ? "" : frame[2], line: line))
    }
    let found = scene.symbolizer().symbols(uuid: stored.uuid, offsets: offsets)
    // symbolic names the bytes before the code, too; one address in a thousand it leaves out.
    let known = found.filter { truth[$0.key] != nil }
    #expect(known.count > 50 && found.count - known.count < 2)
    // And no address of the code is left out.
    #expect(Set(found.keys) == Set(offsets.filter(stored.code.contains)))
    let compared = known.filter { !placeless.contains($0.key) }
    #expect(known.count - compared.count < 10)
    for (offset, symbols) in compared { #expect(symbols == truth[offset], "at \(String(offset, radix: 16))") }
    for (offset, symbols) in known {
      #expect(symbols.map(\.function) == truth[offset]?.map(\.function), "at \(String(offset, radix: 16))")
    }
  }

  /// What `swift-demangle` makes of names.
  private static func short(_ names: Set<String>) throws -> [String: String] {
    let program = try #require(Programs.swiftDemangle)
    let list = names.sorted()
    let shown = try Program.text(program, ["--simplified"], input: list.joined(separator: "\n") + "\n")
    return Dictionary(uniqueKeysWithValues: zip(list, shown.split(separator: "\n").map(String.init)))
  }
}
