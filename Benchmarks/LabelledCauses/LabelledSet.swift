public import Core
import TestSupport

/// Invented diagnostics with known causes: `causes` × `variants`, over devices, OS versions, builds, inlining and
/// truncated stacks.
public struct LabelledSet: Sendable {
  /// A diagnostic and its cause.
  public struct Sample: Sendable {
    public var cause: Int
    public var kind: DiagnosticKind
    public var exception: ExceptionDetails
    public var calls: CallTree
    public var build: Int
    public var model: String
    public var system: String
    public var isCut: Bool
  }

  public var samples: [Sample] = []
  /// A symbol table of every build, for every call in the samples.
  public var symbols: [String: [UInt64: [CallTree.Symbol]]] = [:]

  public static let builds = 6
  static let models = ["iPhone12,1", "iPhone14,5", "iPhone15,2", "iPhone16,1", "iPhone17,3", "iPad13,16"]
  static let systems = ["iOS 15.8.3", "iOS 16.7.8", "iOS 17.6", "iOS 18.6.2", "iOS 26.1"]

  public init(causes: Int, variants: Int, seed: UInt64 = 1, cut: Double = 0.15) {
    var random = SeededRandom(seed: seed)
    for number in 0..<causes {
      let cause = LabelledCause(number)
      for _ in 0..<variants { add(cause, cut: cut, &random) }
    }
  }

  /// The symbols of the first `builds` builds.
  public func symbols(ofBuilds builds: Int) -> [String: [UInt64: [CallTree.Symbol]]] {
    let known = Set((0..<builds).flatMap { build in Program.binaries.map { Program.uuid($0, build: build) } })
    return symbols.filter { known.contains($0.key) }
  }

  private mutating func add(_ cause: LabelledCause, cut: Double, _ random: inout SeededRandom) {
    let system = random.below(Self.systems.count)
    let build = random.below(Self.builds)
    var stack = StackWriter(build: build, system: system)
    cause.write(into: &stack, &random)
    var isCut = false
    if cause.isChain, random.happens(cut) {
      isCut = stack.cut(to: 2 + random.below(5))
    }
    let calls = stack.tree(isSampled: !cause.isChain, &random)
    stack.noteSymbols(calls)
    symbols.merge(stack.symbols) { $0.merging($1) { $1 } }
    samples.append(
      Sample(
        cause: cause.number, kind: cause.kind, exception: cause.exception(system: system, &random),
        calls: calls, build: build,
        model: Self.models[random.below(Self.models.count)], system: Self.systems[system], isCut: isCut))
  }
}
