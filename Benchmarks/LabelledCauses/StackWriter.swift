import Core
import TestSupport

/// Writes one stack as a build on an OS version would report it.
struct StackWriter {
  private let build: Int
  private let systemNumber: Int
  private var binaries: [CallTree.Binary] = []
  private var frames: [CallTree.Frame] = []
  /// Functions of the app, outermost first, for the frame at the same index. Inlined functions share a frame.
  private var functions: [[String]] = []
  private var numbers: [Int] = []
  private(set) var symbols: [String: [UInt64: [CallTree.Symbol]]] = [:]
  private var isOnMain = true

  init(build: Int, system: Int) {
    self.build = build
    systemNumber = system
  }

  mutating func start(onMain: Bool) {
    isOnMain = onMain
    if onMain {
      system("dyld")
      entry()
      for binary in ["UIKitCore", "GraphicsServices", "CoreFoundation"] { system(binary) }
      events()
    } else {
      for binary in ["libsystem_pthread.dylib", "libdispatch.dylib"] { system(binary) }
    }
  }

  /// Adds the frames that deliver an event to the app. Newer OS versions have more of them.
  mutating func events() {
    if isOnMain {
      for _ in 0...(systemNumber / 2) { system("UIKitCore") }
    } else {
      for _ in 0...(systemNumber % 2) { system("libdispatch.dylib") }
    }
  }

  mutating func system(_ binary: String) {
    let offset = SeededRandom.fixed(UInt64(binary.utf8.count), UInt64(systemNumber), UInt64(frames.count)) % 0x80_000
    append(binary, "5757" + String(repeating: "0", count: 26) + "0\(systemNumber)", 0x1000 + offset * 4, [], -1)
  }

  private mutating func entry() {
    let site = Program.site(Program.Function(number: 0, binary: "Shop", name: "main"), calling: 0, build: build)
    append("Shop", Program.uuid("Shop", build: build), site, ["main"], 0)
  }

  /// Adds a call of the app's own function. If the build inlined it into its caller, they share a frame.
  mutating func own(_ number: Int) {
    let function = Program.function(number)
    let name = Program.name(function, build: build)
    if let caller = numbers.last, caller > 0, Program.function(caller).binary == function.binary,
      Program.inlines(function, build: build)
    {
      functions[functions.count - 1].append(name)
      numbers[numbers.count - 1] = caller
      // Its instructions are in the caller's.
      frames[frames.count - 1].offset = Program.site(Program.function(caller), calling: -number, build: build)
      return
    }
    append(
      function.binary, Program.uuid(function.binary, build: build), Program.site(function, calling: 0, build: build),
      [name], number)
  }

  /// Adds a function of the runtime that is always inlined.
  mutating func inlined(_ name: String) {
    guard let number = numbers.last, number > 0 else { return }
    functions[functions.count - 1].append(name)
  }

  private mutating func append(_ binary: String, _ uuid: String, _ offset: UInt64, _ names: [String], _ number: Int) {
    let image = CallTree.Binary(name: binary, uuid: uuid)
    let index = binaries.firstIndex(of: image) ?? binaries.count
    if index == binaries.count { binaries.append(image) }
    frames.append(CallTree.Frame(caller: frames.count - 1, binary: index, offset: offset))
    functions.append(names)
    numbers.append(number)
  }

  /// Keeps only the innermost frames. Returns false if there are no others.
  mutating func cut(to count: Int) -> Bool {
    guard frames.count > count else { return false }
    frames.removeFirst(frames.count - count)
    functions.removeFirst(functions.count - count)
    numbers.removeFirst(numbers.count - count)
    for index in frames.indices { frames[index].caller = index - 1 }
    return true
  }

  /// The tree, with the symbols for it. Callers have their return addresses.
  mutating func tree(isSampled: Bool, _ random: inout SeededRandom) -> CallTree {
    for index in frames.indices where index < frames.count - 1 {
      // The site of a call depends on the callee, so the inner frame must be known first.
      if numbers[index] > 0, functions[index].count == 1 {
        frames[index].offset = Program.site(
          Program.function(numbers[index]), calling: max(0, numbers[index + 1]), build: build)
      }
      frames[index].offset = frames[index].offset.map { $0 + 4 }
    }
    if isSampled { sample(&random) }
    return CallTree(
      binaries: binaries, frames: frames, threads: [CallTree.Thread(range: 0..<frames.count, isAttributed: true)])
  }

  /// Turns the stack into a sampled tree. The bug takes most of the time, other work the rest.
  private mutating func sample(_ random: inout SeededRandom) {
    let whole = 40 + random.below(200)
    var samples = whole
    let bug = frames.count
    for index in 0..<bug {
      frames[index].samples = samples
      if index > 3 { samples -= random.below(max(1, samples / 14)) }
    }
    frames[bug - 1].offset = frames[bug - 1].offset.map { $0 + 4 }
    // The callees of the bug's own function vary from sample to sample.
    for _ in 0..<(1 + random.below(4)) {
      let caller = bug - 1
      frames.append(
        CallTree.Frame(caller: caller, binary: 0, offset: 0x9000 + random.next() % 0x4000, samples: samples / 5))
    }
    let other = Program.function(900 + random.below(40))
    let image = CallTree.Binary(name: other.binary, uuid: Program.uuid(other.binary, build: build))
    let index = binaries.firstIndex(of: image) ?? binaries.count
    if index == binaries.count { binaries.append(image) }
    frames.append(
      CallTree.Frame(
        caller: min(4, bug - 1), binary: index, offset: Program.site(other, calling: 1, build: build),
        samples: whole / 4))
  }

  /// Notes the function of each call of the app. Call this once the offsets are final.
  mutating func noteSymbols(_ tree: CallTree) {
    for (index, names) in functions.enumerated() where !names.isEmpty {
      let frame = tree.frames[index]
      guard let offset = frame.offset, tree.binaries.indices.contains(frame.binary) else { continue }
      let isLeaf = !tree.frames.contains { $0.caller == index }
      symbols[tree.binaries[frame.binary].uuid, default: [:]][isLeaf ? offset : offset - 1] = names.map {
        CallTree.Symbol(function: $0)
      }
    }
  }
}
