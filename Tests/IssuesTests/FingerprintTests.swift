import Testing

@testable import Core
@testable import Ingest

@Suite("Fingerprints")
struct FingerprintTests {
  /// A chain, outermost first: `Shop:render` has a name, `Shop+16` an offset.
  static func tree(_ text: String) -> CallTree {
    var tree = CallTree()
    for word in text.split(separator: " ") {
      let parts = word.split(whereSeparator: { $0 == ":" || $0 == "+" })
      let name = String(parts[0])
      let image = CallTree.Binary(name: name, uuid: "")
      let index = tree.binaries.firstIndex(of: image) ?? tree.binaries.count
      if index == tree.binaries.count { tree.binaries.append(image) }
      let second = parts.count > 1 ? String(parts[1]) : nil
      tree.frames.append(
        CallTree.Frame(
          caller: tree.frames.count - 1, binary: index,
          offset: word.contains("+") ? second.flatMap { UInt64($0) } : nil,
          symbol: word.contains(":") ? second.map { CallTree.Symbol(function: $0) } : nil))
    }
    tree.threads = [.init(range: 0..<tree.frames.count, isAttributed: true)]
    return tree
  }

  func fingerprint(
    _ stack: String, _ kind: DiagnosticKind = .crash,
    _ exception: ExceptionDetails = .init(type: 1, name: "EXC_BAD_ACCESS")
  ) -> Fingerprint {
    Grouper().fingerprint(of: NormalizedStack(kind, exception, Self.tree(stack)))
  }

  @Test("a group's title has the exception and the app's innermost function")
  func title() {
    let made = fingerprint("dyld Shop:main UIKitCore Shop:Cart.tap() Shop:Cart.checkout() libobjc.A.dylib")
    #expect(made.title == "EXC_BAD_ACCESS in Cart.checkout()")
    #expect(made.isSymbolic)
    #expect(fingerprint("dyld+4 Shop+64 UIKitCore+9 Shop+8000").title == "EXC_BAD_ACCESS in Shop + 0x1f40")
    #expect(fingerprint("dyld UIKitCore libobjc.A.dylib").title == "EXC_BAD_ACCESS in libobjc.A.dylib")
    #expect(fingerprint("").title == "EXC_BAD_ACCESS")
  }

  @Test("system frames are not part of a fingerprint")
  func system() {
    let one = fingerprint("dyld Shop:main UIKitCore UIKitCore Shop:Cart.checkout() libobjc.A.dylib")
    let other = fingerprint("dyld Shop:main UIKitCore Shop:Cart.checkout() libswiftCore.dylib libsystem_kernel.dylib")
    #expect(one.hash == other.hash)
  }

  @Test("a stack without app code is grouped by its two innermost binaries, however often each repeats")
  func systemOnly() {
    let plain = fingerprint("dyld UIKitCore libobjc.A.dylib")
    #expect(plain.hash == fingerprint("dyld UIKitCore UIKitCore libobjc.A.dylib libobjc.A.dylib").hash)
    #expect(plain.hash != fingerprint("dyld CoreFoundation libobjc.A.dylib").hash)
  }

  @Test("another caller, termination or kind is another cause")
  func different() {
    let first = fingerprint("dyld Shop:main UIKitCore Shop:Cart.tap() Shop:Store.value()")
    #expect(first.hash != fingerprint("dyld Shop:main UIKitCore Shop:Feed.load() Shop:Store.value()").hash)
    #expect(
      first.hash
        != fingerprint(
          "dyld Shop:main UIKitCore Shop:Cart.tap() Shop:Store.value()", .crash, .init(type: 6, name: "EXC_BREAKPOINT")
        ).hash)
    #expect(first.hash != fingerprint("dyld Shop:main UIKitCore Shop:Cart.tap() Shop:Store.value()", .hang).hash)
  }

  @Test("named errors and exceptions are their own causes, and an abort without a name joins one of them")
  func names() {
    let stack = "dyld Shop:main UIKitCore Shop:Cart.tap() Shop:Store.value()"
    func hash(_ exception: ExceptionDetails, _ stack: String) -> UInt64 { fingerprint(stack, .crash, exception).hash }
    let errors = ["TypeError", "RangeError", "std::runtime_error", "std::range_error", "CartError"]
    #expect(Set(errors.map { hash(.init(name: $0), stack) }).count == errors.count)
    let aborts = [
      ExceptionDetails(name: "SIGABRT"), .init(name: "NSInvalidArgumentException"), .init(name: "NSRangeException"),
      .init(type: 10, signal: 6), .init(type: 10, signal: 6, name: "NSGenericException"), .init(signal: 6),
      .init(type: 10, signal: 6, name: "CALayerInvalidGeometry"),
    ]
    // Four have a name; two say only that it was an abort.
    #expect(Set(aborts.map { hash($0, stack) }).count == 5)
    #expect(hash(aborts[0], stack) == hash(aborts[3], stack) && hash(aborts[0], stack) == hash(aborts[5], stack))
    #expect(hash(aborts[0], stack) != hash(.init(name: "TypeError"), stack))
    let nameless = fingerprint(stack, .crash, aborts[0])
    let range = fingerprint(stack, .crash, aborts[2])
    let invalid = fingerprint(stack, .crash, aborts[1])
    #expect(TruncatedStacks.homes(of: [(nameless, 3), (range, 9)]) == [nameless.hash: range.hash])
    #expect(TruncatedStacks.homes(of: [(nameless, 3), (range, 9), (invalid, 8)]).isEmpty)
    // A stack that was cut joins them, too, by way of the one without a name.
    let cut = fingerprint("Shop:Store.value()", .crash, aborts[0])
    #expect(
      TruncatedStacks.homes(of: [(cut, 1), (nameless, 3), (range, 9)]) == [
        nameless.hash: range.hash, cut.hash: range.hash,
      ])
    // As it was stored once, the name stood in the title only.
    let old = NormalizedStack(
      kind: .crash, cause: .init(key: "abort", title: "x"), frames: [.init(binary: "Shop")], isOwn: true, isCut: false)
    let read = NormalizedStack(encoded: old.encoded(), title: "NSRangeException")
    #expect(read?.cause == NormalizedStack(.crash, aborts[2], Self.tree(stack)).cause)
    #expect(NormalizedStack(encoded: old.encoded(), title: "SIGABRT")?.cause.key == "abort")
    #expect(hash(.init(name: "EXC_BAD_ACCESS"), stack) == hash(.init(type: 1, signal: 11), stack))
  }

  @Test("without frames, the exception's name distinguishes crashes")
  func frameless() {
    let names = [
      "NSRangeException", "NSGenericException", "WatchdogTermination", "OutOfMemory", "TypeError", "SIGABRT",
    ]
    let stacks = names.map { NormalizedStack(.crash, .init(type: nil, signal: nil, name: $0), CallTree()) }
    #expect(Set(stacks.map { Grouper().fingerprint(of: $0).hash }).count == names.count)
    #expect(Set(stacks.map(\.hash)).count == names.count)
    let signal = NormalizedStack(.crash, .init(type: 10, signal: 6), CallTree())
    #expect(Grouper().fingerprint(of: signal).hash == Grouper().fingerprint(of: stacks[5]).hash)
    let old = NormalizedStack(.crash, .init(type: 10, signal: 6, name: "NSRangeException"), CallTree())
    #expect(Grouper().fingerprint(of: old).hash == Grouper().fingerprint(of: stacks[0]).hash)
  }

  @Test("names from symbols stay with a stack, which is the same with and without them")
  func kept() throws {
    let stack = NormalizedStack(
      .crash, .init(type: 1, name: "EXC_BAD_ACCESS"), Self.tree("dyld+4 Shop+64 UIKitCore+9 Shop+500 Shop+8000"))
    let first: [String: [UInt64: [CallTree.Symbol]]] = [
      "": [8000: [.init(function: "outer()"), .init(function: "inlined()")]]
    ]
    let second: [String: [UInt64: [CallTree.Symbol]]] = ["": [499: [.init(function: "caller()")], 8000: []]]
    let named = stack.named(by: first)
    let read = try #require(NormalizedStack(encoded: named.encoded(), title: named.cause.title))
    #expect(read == named && read.hash == stack.hash && read != stack)
    #expect(Grouper().fingerprint(of: read) == Grouper().fingerprint(of: stack, symbols: first))
    // One binary's symbols come when the other's are gone.
    let both = Grouper().fingerprint(of: read.named(by: second))
    #expect(both.title == "EXC_BAD_ACCESS in inlined()" && both.isSymbolic)
    #expect(
      stack.named(by: [:]) == stack && NormalizedStack(encoded: [9] + stack.encoded().dropFirst(), title: "") == nil)
  }

  @Test("if the system calls back later, earlier frames do not count")
  func boundary() {
    let tap = fingerprint("dyld Shop:main UIKitCore Shop:A.tap() UIKitCore Shop:B.layout()")
    let scroll = fingerprint("dyld Shop:main UIKitCore Shop:C.scroll() UIKitCore Shop:B.layout()")
    #expect(tap.hash == scroll.hash)
    let map = fingerprint("dyld Shop:main UIKitCore Shop:A.tap() libswiftCore.dylib Shop:B.layout()")
    #expect(map.hash != tap.hash)
  }

  @Test("a stack overflow is one cause, wherever the cycle ended, and a kind of its own")
  func overflow() {
    let circle = String(repeating: "Shop:a() Shop:b() ", count: 150)
    let one = fingerprint("dyld Shop:main UIKitCore Shop:start() " + circle)
    let other = fingerprint("dyld Shop:main UIKitCore Shop:start() " + circle + "Shop:a()")
    let leaf = fingerprint("dyld Shop:main UIKitCore Shop:begin() " + circle + "Shop:a() Shop:leaf()")
    let cut = fingerprint(circle)
    #expect(Set([one, other, leaf, cut].map(\.hash)).count == 1 && one.title == "Stack overflow in a()")
    #expect(one.hash != fingerprint("dyld Shop:main UIKitCore Shop:start() Shop:b() Shop:a()").hash)
    // Of offsets, too.
    let offsets = String(repeating: "Shop+16 Shop+32 ", count: 150)
    #expect(
      fingerprint("dyld Shop+1 UIKitCore Shop+8 " + offsets).hash
        == fingerprint("dyld Shop+1 UIKitCore Shop+8 " + offsets + "Shop+16").hash)
  }

  @Test(
    "recursive functions are one cause at any depth",
    arguments: ["Shop:a()", "Shop+16", "Shop:b() Shop:a()", "Shop:c() Shop:b() Shop:a()", "Shop+24 Shop+16"])
  func recursion(circle: String) {
    let hashes = [1, 2, 3, 5, 9, 20, 60].map { levels in
      fingerprint(
        "dyld Shop:main UIKitCore Shop:start() " + Array(repeating: circle, count: levels).joined(separator: " ")
      ).hash
    }
    #expect(Set(hashes).count == 1)
    // Where it was called from still tells causes apart, if it is near.
    if !circle.contains(" ") {
      #expect(fingerprint("dyld Shop:main UIKitCore Shop:other() \(circle) \(circle)").hash != hashes[0])
    }
  }

  @Test(
    "the system's texts for a watchdog are one cause",
    arguments: [
      ExceptionDetails(type: 10, signal: 9, termination: "<RBSTerminateContext| domain:10 code:0x8BADF00D"),
      ExceptionDetails(type: 10, signal: 9, termination: "Namespace FRONTBOARD, Code 2343432205"),
      ExceptionDetails(type: 10, code: 0, signal: 9),
    ])
  func watchdog(exception: ExceptionDetails) {
    #expect(
      fingerprint("dyld Shop:main UIKitCore Shop:load() libsystem_kernel.dylib", .crash, exception).title
        == "Watchdog termination in load()")
  }

  @Test("termination codes are numbers, and namespaces and codes distinguish terminations")
  func terminations() {
    func cause(_ text: String?, _ signal: Int = 9) -> DiagnosticCause {
      NormalizedStack(
        .crash, .init(type: 10, code: 0, signal: signal, termination: text), Self.tree("dyld Shop:main Shop:a()")
      )
      .cause
    }
    let locked = [
      "Namespace RUNNINGBOARD, Code 0xdead10cc", "Namespace RUNNINGBOARD, Code 3735883980", "RUNNINGBOARD 3735883980",
      "<RBSTerminateContext| domain:15 code:0xDEAD10CC explanation:[x]>",
    ]
    #expect(
      Set(locked.map { cause($0) }) == [DiagnosticCause(key: "locked_file", title: "Termination with a locked file")])
    let watchdog = ["FRONTBOARD 2343432205", "Namespace SPRINGBOARD, Code 0x8badf00d", "domain:10 code:0x8BADF00D"]
    #expect(Set(watchdog.map { cause($0).key }) == ["watchdog"])
    let apart = [
      "Namespace JETSAM, Code 1", "Namespace JETSAM, Code 7", "Namespace SIGNAL, Code 9",
      "Namespace FRONTBOARD, Code 0xc00010ff", "Namespace RUNNINGBOARD, Code 0xbaddd15c",
      "Namespace CODESIGNING, Code 2", "Namespace RUNNINGBOARD, Code 0xdead10cc", "FRONTBOARD 0x8badf00d",
    ]
    #expect(Set(apart.map { cause($0).key }).count == apart.count)
    #expect(cause("JETSAM 0x7") == cause("Namespace JETSAM, Code 7"))
    #expect(cause("Namespace JETSAM, Code 7").title == "Jetsam termination (code 7)")
    #expect(cause("Namespace SIGNAL, Code 6", 6).key == "abort" && cause("Namespace OBJC, Code 1", 6).key == "abort")
    #expect(cause("Namespace DYLD, Code 1", 6).key == "kill:dyld:0x1")
    #expect(cause("Namespace SIGNAL, Code 9").key == "kill")
  }

  @Test("a hang is where most samples are, not where one of them ended")
  func heaviest() {
    var tree = Self.tree("dyld Shop:main UIKitCore Shop:reload() Shop:decode()")
    for index in tree.frames.indices { tree.frames[index].samples = [100, 100, 100, 90, 70][index] }
    tree.binaries.append(.init(name: "Other", uuid: ""))
    tree.frames.append(.init(caller: 2, binary: 3, samples: 10, symbol: .init(function: "rare()")))
    for number in 0..<7 {
      tree.frames.append(.init(caller: 4, binary: 1, samples: 10, symbol: .init(function: "part\(number)()")))
    }
    tree.threads = [.init(range: 0..<tree.frames.count, isAttributed: true)]
    let made = Grouper().fingerprint(of: NormalizedStack(.hang, .init(), tree))
    #expect(made.title == "Hang in decode()")
  }

  @Test(
    "half of the samples are enough to descend, and fewer are not", arguments: [(50, "decode()"), (49, "reload()")])
  func half(samples: Int, function: String) {
    var tree = Self.tree("dyld Shop:main UIKitCore Shop:reload() Shop:decode()")
    for index in tree.frames.indices { tree.frames[index].samples = [100, 100, 100, 100, samples][index] }
    let made = Grouper().fingerprint(of: NormalizedStack(.hang, .init(), tree))
    #expect(made.title == "Hang in \(function)")
  }

  @Test("symbols are looked up at the call, not at its return address")
  func symbols() {
    let stack = NormalizedStack(
      .crash, .init(type: 1, name: "EXC_BAD_ACCESS"), Self.tree("dyld+4 Shop+64 UIKitCore+9 Shop+500 Shop+8000"))
    #expect(stack.frames.map(\.callOffset) == [8000, 499, 63])
    let known: [String: [UInt64: [CallTree.Symbol]]] = [
      "": [8000: [.init(function: "outer()"), .init(function: "inlined()")], 499: [.init(function: "caller()")]]
    ]
    let made = Grouper().fingerprint(of: stack, symbols: known)
    #expect(made.title == "EXC_BAD_ACCESS in inlined()")
    #expect(made.isSymbolic)
    // What is inlined in one build is a frame of its own in another.
    let other = NormalizedStack(
      .crash, .init(type: 1, name: "EXC_BAD_ACCESS"), Self.tree("dyld Shop:main UIKitCore Shop:outer() Shop:inlined()"))
    #expect(Grouper().fingerprint(of: other).hash == made.hash)
  }

  @Test("a truncated stack joins the group that begins like it, if one is dominant")
  func cut() {
    let whole = fingerprint("dyld Shop:main UIKitCore Shop:A.tap() Shop:Store.value()")
    let cut = fingerprint("Shop:Store.value() libobjc.A.dylib")
    #expect(cut.isCut)
    #expect(TruncatedStacks.homes(of: [(whole, 9), (cut, 1)]) == [cut.hash: whole.hash])
    let second = fingerprint("dyld Shop:main UIKitCore Shop:B.tap() Shop:Store.value()")
    #expect(TruncatedStacks.homes(of: [(whole, 9), (second, 8), (cut, 1)]).isEmpty)
  }

  @Test("fingerprints of the current rules never change")
  func golden() {
    #expect(Fingerprint.version == 1)
    #expect(fingerprint("dyld Shop:main UIKitCore Shop:Cart.tap() Shop:Cart.checkout()").name == "da27c4a1994c54fd")
    #expect(fingerprint("dyld+4 Shop+64 UIKitCore+9 Shop+8000").name == "383e71883c85064f")
  }

  @Test("contradictory call trees cause no trap")
  func hostile() {
    var tree = Self.tree("Shop:a() Shop:b()")
    tree.frames[0].caller = 7
    tree.frames[1].caller = 1
    tree.frames[1].binary = 99
    tree.frames[1].samples = -4
    tree.threads = [.init(range: 0..<2, isAttributed: false), .init(range: 5..<9, isAttributed: true)]
    let hang = Grouper().fingerprint(of: NormalizedStack(.hang, .init(), tree))
    tree.threads = []
    let crash = Grouper().fingerprint(of: NormalizedStack(.crash, .init(), tree))
    #expect(hang.name.utf8.count == 16 && crash.name.utf8.count == 16 && hang.hash != crash.hash)
  }
}
