import Foundation
import Testing
import TestSupport

@testable import Symbols

@Suite struct DemanglerTests {
  /// Mangled names of many kinds beside what `swift-demangle --simplified` of Swift 6.3 prints for them.
  private static let names = [
    "$s4Shop18CheckoutControllerC5total8discountS2iXE_tF": "$s4Shop18CheckoutControllerC5total8discountS2iXE_tF",
    "$s6Ledger7AccountC5close4with3viaAA5PriceVAH_A2HXEtF": "Account.close(with:via:)",
    "$s6Ledger7AccountC7openingAcA5PriceV_tcfC": "Account.__allocating_init(opening:)",
    "$s6Ledger5PriceV3rawBi64_vg": "Price.raw.getter",
    "$e4Shop7appMainyS2iFS2iXEfU_": "closure #1 in appMain(_:)",
    "_$s6Ledger7AccountCfD": "Account.__deallocating_deinit",
    "$sSo8NSObjectC": "NSObject",
  ]

  @Test("demangled names equal those of Swift's own tool", .enabled(if: Programs.swiftDemangle != nil, "no toolchain"))
  func short() throws {
    let program = try #require(Programs.swiftDemangle)
    // Every function that the tests themselves are linked from.
    let list = try Self.own.shuffled().prefix(5000) + Array(Self.names.keys)
    let expected = try Program.text(program, ["--simplified"], input: list.joined(separator: "\n") + "\n")
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var wrong: [String] = []
    for (name, expected) in zip(list, expected) {
      let shown = ReadableFunctionName.shown(name)
      if shown != expected { wrong.append("\(shown)  instead of  \(expected)") }
    }
    // Thunks of the compiler's are worded a little differently; nobody has one on top of a crash.
    #expect(wrong.count * 100 < list.count, "\(wrong.prefix(20).joined(separator: "\n"))")
  }

  /// Names of functions in this program, without what only metadata has.
  private static var own: [String] {
    get throws {
      let program = try #require(SymbolizerProgram.real("/proc/self/exe"))
      let tool = try #require(Program.find("llvm-nm") ?? Program.find("nm"))
      let lines = try Program.text(tool, [program]).split(separator: "\n")
      let names = lines.compactMap { line -> String? in
        let parts = line.split(separator: " ")
        return parts.count == 3 && "Tt".contains(parts[1]) && parts[2].hasPrefix("$s")
          && !parts[2].contains("TestfMp_") ? String(parts[2]) : nil
      }
      // Functions, accessors, initializers, deinitializers and closures.
      return names.filter { name in
        ["F", "FZ", "fC", "fc", "fD", "fd", "vg", "vs", "vM", "U_"].contains { name.hasSuffix($0) }
      }
    }
  }

  @Test("demangled names are equal through the child process, in any batch")
  func child() {
    let demangler = DemanglerProcess(command: [Program.plumb, "demangle-names"])
    let asked = Set(Self.names.keys).union(["main", "-[Cart pay:]", "$s", "$s\nmain"])
    let shown = demangler.shown(asked)
    for (name, expected) in Self.names { #expect(shown[name] == expected) }
    #expect(shown["main"] == nil && shown["-[Cart pay:]"] == nil)
  }

  @Test("a name that expands to gigabytes costs a child process and no other name", .timeLimit(.minutes(2)))
  func bomb() {
    // A dictionary whose keys and values are the dictionary before, thirty times.
    var type = "SDyS2iG"
    for level in 0..<30 {
      let index = level + 2
      type =
        "SDy\(type)\(index < 26 ? "A\(Character(UnicodeScalar(UInt8(65 + index))))" : "A\(index == 26 ? "" : String(index - 27))_")G"
    }
    let name = "$s1a1b\(type)vp"
    #expect(name.utf8.count < 250)
    let demangler = DemanglerProcess(command: [Program.plumb, "demangle-names"])
    let shown = demangler.shown([name, "$e4Shop7appMainyS2iFS2iXEfU_"])
    #expect(shown["$e4Shop7appMainyS2iFS2iXEfU_"] == "closure #1 in appMain(_:)")
    #expect(shown[name] == name)
  }

  @Test("without a demangler, names stay unchanged")
  func none() {
    #expect(DemanglerProcess(command: nil).shown(["$e4Shop7appMainyS2iFS2iXEfU_"]).isEmpty)
    let broken = DemanglerProcess(command: ["/nonexistent"])
    #expect(
      broken.shown(["$e4Shop7appMainyS2iFS2iXEfU_"]) == ["$e4Shop7appMainyS2iFS2iXEfU_": "$e4Shop7appMainyS2iFS2iXEfU_"]
    )
  }
}
