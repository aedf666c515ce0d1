import Testing

@testable import Core
@testable import Ingest

@Suite("App binaries with names of system binaries")
struct OwnBinaryTests {
  typealias Origin = CallTree.Binary.Origin

  static let fault = ExceptionDetails(type: 1, name: "EXC_BAD_ACCESS")
  static func uuid(_ name: String) -> String {
    Fingerprint.name(of: Fingerprint.hash(of: [name])).uppercased() + "0000000000000000"
  }

  /// A chain of `Binary+offset`, outermost first, every binary with a UUID.
  static func stack(_ text: String, _ origins: [String: Origin] = [:], unnamed: Set<String> = []) -> NormalizedStack {
    var tree = FingerprintTests.tree(text)
    for index in tree.binaries.indices {
      let name = tree.binaries[index].name
      tree.binaries[index] = .init(
        name: unnamed.contains(name) ? "" : name, uuid: Self.uuid(name), origin: origins[name] ?? .unknown)
    }
    return NormalizedStack(.crash, fault, tree)
  }

  func title(_ stack: NormalizedStack) -> String { Grouper().fingerprint(of: stack).title }
  func hash(_ stack: NormalizedStack) -> UInt64 { Grouper().fingerprint(of: stack).hash }

  @Test(
    "a report's statement about a binary decides, whatever its name",
    arguments: ["Charts", "Network", "Contacts", "libswiftShop.dylib", "MetalPetal", "UIKitCore"])
  func said(name: String) {
    let first = "dyld Shop+64 UIKit+9 Shop+500 \(name)+800"
    let second = "dyld Shop+64 UIKit+9 Shop+500 \(name)+900"
    #expect(hash(Self.stack(first)) == hash(Self.stack(second)))
    let own = [name: Origin.app]
    #expect(hash(Self.stack(first, own)) != hash(Self.stack(second, own)))
    #expect(title(Self.stack(first, own)) == "EXC_BAD_ACCESS in \(name) + 0x320")
    // A library of Apple's that is on no list.
    #expect(
      title(Self.stack("dyld Shop+64 UIKit+9 Shop+500 Wizardry+8", ["Wizardry": .system]))
        == "EXC_BAD_ACCESS in Shop + 0x1f4")
  }

  @Test("an app may be named like a framework, because the binary on the loader is the app")
  func executable() {
    let one = Self.stack("dyld+4 Network+64 UIKitCore+9 Network+500 libobjc.A.dylib+1")
    let other = Self.stack("dyld+4 Network+64 UIKitCore+9 Network+900 libobjc.A.dylib+1")
    #expect(title(one) == "EXC_BAD_ACCESS in Network + 0x1f4" && hash(one) != hash(other))
    // An extension begins in code of the system, and has its own elsewhere.
    let extended = Self.stack("dyld+4 NotificationCenter+64 UIKitCore+9 Shop+500 NotificationCenter+7")
    #expect(title(extended) == "EXC_BAD_ACCESS in Shop + 0x1f4")
  }

  @Test("symbols for a binary make it the app's own, even after they are removed")
  func symbols() throws {
    let first = Self.stack("dyld+4 Shop+64 UIKit+9 Shop+500 Charts+800 libobjc.A.dylib+1")
    let second = Self.stack("dyld+4 Shop+64 UIKit+9 Shop+500 Charts+900 libobjc.A.dylib+1")
    let system = Self.stack("dyld+4 UIKitCore+9 Charts+900 Foundation+1 CoreData+2 libobjc.A.dylib+1")
    #expect(hash(first) == hash(second) && first.hash != second.hash)
    let known: [String: [UInt64: [CallTree.Symbol]]] = [
      Self.uuid("Charts"): [
        800: [.init(function: "Axis.draw()")], 799: [.init(function: "Axis.draw()")],
        900: [.init(function: "Legend.draw()")], 899: [.init(function: "Legend.draw()")],
      ]
    ]
    #expect(Grouper().fingerprint(of: first, symbols: known).title == "EXC_BAD_ACCESS in Axis.draw()")
    #expect(Grouper().fingerprint(of: system, symbols: known).title == "EXC_BAD_ACCESS in Legend.draw()")
    for stack in [first, second, system] {
      let named = stack.named(by: known)
      #expect(named.ownFrames() > stack.ownFrames() && named.hash == stack.hash)
      let read = try #require(NormalizedStack(encoded: named.encoded(), title: named.cause.title))
      #expect(read == named)
      #expect(Grouper().fingerprint(of: read) == Grouper().fingerprint(of: stack, symbols: known))
    }
    #expect(hash(first.named(by: known)) != hash(second.named(by: known)))
    // Symbols that have no name for the place still say whose it is.
    let empty: [String: [UInt64: [CallTree.Symbol]]] = [Self.uuid("Charts"): [:]]
    #expect(title(first.named(by: empty)) == "EXC_BAD_ACCESS in Charts + 0x320")
  }

  @Test("a frame without a binary's name counts only if no other is the app's")
  func unnamed() {
    let one = Self.stack("dyld+4 Shop+64 UIKit+9 Shop+500 Other+800", unnamed: ["Other"])
    let other = Self.stack("dyld+4 Shop+64 UIKit+9 Shop+500 Other+900", unnamed: ["Other"])
    #expect(title(one) == "EXC_BAD_ACCESS in Shop + 0x1f4" && hash(one) == hash(other))
    let alone = Self.stack("dyld+4 UIKit+9 Other+800", unnamed: ["Other"])
    #expect(title(alone) == "EXC_BAD_ACCESS in unnamed binary + 0x320")
    let known: [String: [UInt64: [CallTree.Symbol]]] = [Self.uuid("Other"): [800: [.init(function: "Own.code()")]]]
    #expect(Grouper().fingerprint(of: one, symbols: known).title == "EXC_BAD_ACCESS in Own.code()")
    // Where the same UUID has a name elsewhere in the report, it is that binary.
    var tree = FingerprintTests.tree("dyld+4 UIKit+9 Shop+500 Other+800")
    tree.binaries[3] = .init(name: "", uuid: Self.uuid("Shop"))
    tree.binaries[2].uuid = Self.uuid("Shop")
    #expect(title(NormalizedStack(.crash, Self.fault, tree)) == "EXC_BAD_ACCESS in unnamed binary + 0x320")
  }

  @Test("binaries that the team declares as its own are the app's")
  func settings() {
    let first = Self.stack("dyld+4 Shop+64 UIKit+9 Shop+500 Charts+800 libobjc.A.dylib+1")
    let second = Self.stack("dyld+4 Shop+64 UIKit+9 Shop+500 Charts+900 libobjc.A.dylib+1")
    let hashes = [first, second].map { Grouper().fingerprint(of: $0, own: ["Charts"]).hash }
    #expect(hashes[0] != hashes[1] && first.ownFrames(["Charts"]) == first.ownFrames() + 1)
    #expect(Grouper().fingerprint(of: first, own: ["Network"]).hash == hash(second))
  }

  @Test("stacks in an older stored form keep their bytes and meaning")
  func old() throws {
    let stack = NormalizedStack(
      .crash, Self.fault, FingerprintTests.tree("dyld+4 Shop+64 UIKitCore+9 Shop+500 Shop+8000"))
    #expect(stack.encoded().first == 1)
    let system = NormalizedStack(
      .crash, Self.fault, FingerprintTests.tree("dyld+4 UIKitCore+9 Network+700 libobjc.A.dylib+1"))
    #expect(system.encoded().first == 1)
    for stack in [stack, system] {
      #expect(try #require(NormalizedStack(encoded: stack.encoded(), title: stack.cause.title)) == stack)
    }
  }
}
