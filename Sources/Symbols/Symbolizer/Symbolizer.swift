internal import Dispatch
internal import Synchronization
public import Telemetry

/// Names of code from uploaded symbols, by LLVM's `llvm-symbolizer` as a child process that stays. May be asked from any
/// thread; one question is worked on at a time, and what was answered once is remembered.
///
/// A file that the child cannot take twice in a row (it dies, takes too long or answers nonsense) is asked again after a
/// pause; one that it could not take four times in a row is not read any more.
public final class Symbolizer: SymbolSource {
  let folder: SymbolFolder
  let limits: ChildLimits
  private let program: String?
  private let demangler: NameDemangler
  private let clock: @Sendable () -> Timestamp
  private let report: @Sendable (String) -> Void
  private let seat = Mutex(SymbolizerSession())
  private let cache: Mutex<Cache>

  private struct Cache {
    var names: NameCache
    var generation: Int
  }

  /// - Parameters:
  ///   - program: where `llvm-symbolizer` is (`SymbolizerProgram.find`); without one nothing has a name.
  ///   - demangler: makes Swift names readable.
  ///   - report: hears, in a sentence, what an operator should know.
  public init(
    folder: SymbolFolder, program: String?, demangler: NameDemangler, limits: ChildLimits = ChildLimits(),
    clock: @escaping @Sendable () -> Timestamp, report: @escaping @Sendable (String) -> Void
  ) {
    self.folder = folder
    self.program = program
    self.demangler = demangler
    self.limits = limits
    self.clock = clock
    self.report = report
    cache = Mutex(Cache(names: NameCache(limit: limits.cacheBytes), generation: folder.generation))
  }

  /// Grows with every change of the folder.
  public var generation: Int { folder.generation }

  /// Whether symbols of this binary are there and can be read.
  public func hasSymbols(uuid: String) -> Bool {
    guard let symbols = folder.symbols(uuid: uuid) else { return false }
    return symbols.trouble == nil
  }

  /// The child's process number; nil while none runs.
  public var child: Int32? { seat.withLock { $0.child?.process } }

  /// Bytes the child holds in memory, 0 while none runs.
  public var childMemory: Int { seat.withLock { $0.child?.memory ?? 0 } }

  /// Names of code, as `SymbolSource` has it.
  public func symbols(uuid: String, offsets: [UInt64]) -> [UInt64: [CallTree.Symbol]] {
    lookUp(uuid: uuid, offsets: offsets).names
  }

  /// The same, and the offsets that got no answer, because the symbolizer is missing or failed: asked later they may have
  /// names.
  public func lookUp(
    uuid: String, offsets: [UInt64]
  ) -> (names: [UInt64: [CallTree.Symbol]], unanswered: Set<UInt64>) {
    guard let binary = folder.symbols(uuid: uuid), binary.trouble == nil else { return ([:], []) }
    // An offset outside the code would be given the name of whatever lies nearest.
    let wanted = Set(offsets.filter(binary.code.contains))
    var found: [UInt64: [CallTree.Symbol]] = [:]
    let unknown = cache.withLock { cache in
      let generation = folder.generation
      if cache.generation != generation { cache.names.clear() }
      cache.generation = generation
      return wanted.filter { offset in
        guard let known = cache.names.symbols(at: .init(uuid: uuid, offset: offset)) else { return true }
        if !known.isEmpty { found[offset] = known }
        return false
      }
    }
    var unanswered = unknown
    for batch in unknown.sorted().chunks(of: Self.batch) {
      guard let mangled = ask(binary, Array(batch)) else { break }
      unanswered.subtract(batch)
      let answers = named(mangled)
      cache.withLock { cache in
        for (offset, symbols) in answers { cache.names.keep(symbols, at: .init(uuid: uuid, offset: offset)) }
      }
      found.merge(answers.filter { !$0.value.isEmpty }) { first, _ in first }
    }
    folder.markUsed(uuid: uuid, at: clock())
    return (found, unanswered)
  }

  private static let batch = 1000

  /// The same with names as people read them.
  private func named(_ answers: [UInt64: [CallTree.Symbol]]) -> [UInt64: [CallTree.Symbol]] {
    let names = demangler.shown(Set(answers.values.joined().map(\.function)))
    return answers.mapValues { symbols in
      symbols.map { CallTree.Symbol(function: names[$0.function] ?? $0.function, file: $0.file, line: $0.line) }
    }
  }

  /// Nil when there is no answer.
  private func ask(_ binary: StoredSymbols, _ offsets: [UInt64]) -> [UInt64: [CallTree.Symbol]]? {
    guard let program else {
      seat.withLock { $0.reportOnce(Self.missing, report) }
      return nil
    }
    return seat.withLock { (seat) -> [UInt64: [CallTree.Symbol]]? in
      if limits.sandbox == .require, let warning = limits.sandbox.warning(landlockVersion: limits.landlockVersion) {
        seat.reportOnce(warning, report)
        return nil
      }
      let now = clock()
      guard seat.pauses.isOver("", now), seat.pauses.isOver(binary.uuid, now) else { return nil }
      defer { endWhenIdle(seat.questions) }
      var failure = LineProcess.Failure.ended
      for _ in 0..<2 {
        guard seat.prepare(program, folder, binary, limits) else {
          _ = seat.pauses.fail("", now)
          seat.reportOnce("\(program) does not work as llvm-symbolizer does: frames stay without names.", report)
          return nil
        }
        do throws(LineProcess.Failure) {
          let answers = try seat.ask(binary, offsets)
          seat.pauses.succeed("")
          seat.pauses.succeed(binary.uuid)
          return answers
        } catch {
          failure = error
          seat.child = nil
        }
      }
      let trouble = failure.trouble(limits)
      let name = "\(binary.name) (\(UUIDText.dashed(binary.uuid)))"
      // Something else may have ended the child: a machine short of memory, a person.
      guard seat.pauses.fail(binary.uuid, now) > Backoff.seconds.count else {
        seat.reportOnce("The symbols of \(name) could not be read, and are tried again: \(trouble).", report)
        return nil
      }
      seat.pauses.succeed(binary.uuid)
      folder.quarantine(uuid: binary.uuid, because: trouble)
      report("The symbols of \(name) are not read any more: \(trouble), time and again.")
      return nil
    }
  }

  private static let missing =
    "llvm-symbolizer was not found: frames stay without names. Debian has it in the package llvm."

  /// The child gives its memory back when nobody asks for a while.
  private func endWhenIdle(_ questions: Int) {
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .seconds(limits.idleSeconds)) { [weak self] in
      self?.seat.withLock { seat in
        if seat.questions == questions { seat.child = nil }
      }
    }
  }
}

extension LineProcess.Failure {
  /// What to tell an operator of a file.
  fileprivate func trouble(_ limits: ChildLimits) -> String {
    switch self {
    case .ended: "llvm-symbolizer ended twice while it read them"
    case .late: "llvm-symbolizer took more than \(limits.answerMilliseconds / 1000) s for them, twice"
    case .confused: "llvm-symbolizer answered nonsense about them, twice"
    case .unconfined: "the kernel cannot keep llvm-symbolizer from other files, and symbols-sandbox requires that"
    }
  }
}

extension Array {
  fileprivate func chunks(of size: Int) -> [ArraySlice<Element>] {
    stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
  }
}

/// What failed rests for a while, so that nobody tries it in a tight loop: a file, or the program itself.
struct Backoff {
  private var failures: [String: (count: Int, until: Timestamp)] = [:]

  /// Seconds after the first failure, the second …
  static let seconds: [Int64] = [10, 60, 600]

  /// Whether it may be tried.
  func isOver(_ key: String, _ now: Timestamp) -> Bool { failures[key].map { now >= $0.until } ?? true }

  /// Notes that it failed; how often it did so in a row.
  mutating func fail(_ key: String, _ now: Timestamp) -> Int {
    let count = (failures[key]?.count ?? 0) + 1
    let pause = Self.seconds[min(count, Self.seconds.count) - 1]
    failures[key] = (count, Timestamp(milliseconds: now.milliseconds + pause * 1000))
    return count
  }

  /// Notes that it worked.
  mutating func succeed(_ key: String) { failures[key] = nil }
}

/// Answers by binary and offset, the least recently used forgotten first: two halves, of which the older is dropped when
/// the younger is full. What is found in the older moves to the younger.
struct NameCache {
  struct Place: Hashable {
    let uuid: String
    let offset: UInt64
  }

  private let limit: Int
  private var young: [Place: [CallTree.Symbol]] = [:]
  private var old: [Place: [CallTree.Symbol]] = [:]
  /// Bytes of the younger half, about.
  private var size = 0

  init(limit: Int) { self.limit = limit }

  mutating func symbols(at place: Place) -> [CallTree.Symbol]? {
    if let known = young[place] { return known }
    guard let known = old.removeValue(forKey: place) else { return nil }
    keep(known, at: place)
    return known
  }

  mutating func keep(_ symbols: [CallTree.Symbol], at place: Place) {
    if size > limit / 2 {
      old = young
      young = [:]
      size = 0
    }
    young[place] = symbols
    size += symbols.reduce(128) { $0 + 64 + $1.function.utf8.count + $1.file.utf8.count }
  }

  mutating func clear() { self = NameCache(limit: limit) }
}
