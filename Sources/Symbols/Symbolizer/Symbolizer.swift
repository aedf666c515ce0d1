public import Core
internal import Dispatch
internal import Synchronization

/// A source of function names from uploaded symbols, which it looks up with a long-running child process, LLVM's
/// `llvm-symbolizer`. Thread-safe; one lookup runs at a time, and results are cached.
///
/// A file on which the child fails twice in a row (it ends, times out or returns malformed output) is retried after a
/// pause. After four such failures it is no longer used.
public final class Symbolizer: SymbolSource {
  let folder: SymbolFolder
  let limits: ChildLimits
  private let program: String?
  private let demangler: DemanglerProcess
  private let clock: @Sendable () -> Timestamp
  private let report: @Sendable (String) -> Void
  private let session = Mutex(SymbolizerSession())
  private let cache: Mutex<Cache>

  private struct Cache {
    var names: NameCache
    var generation: Int
  }

  /// Creates a symbolizer.
  ///
  /// - Parameters:
  ///   - program: the path of `llvm-symbolizer` (`SymbolizerProgram.find`); nil to find no names.
  ///   - demangler: makes Swift names readable.
  ///   - report: receives sentences for the operator.
  public init(
    folder: SymbolFolder, program: String?, demangler: DemanglerProcess, limits: ChildLimits = ChildLimits(),
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

  /// A number that grows with every change of the symbol folder.
  public var generation: Int { folder.generation }

  /// Whether there are usable symbols of the binary with this UUID that do not belong to the system.
  public func hasSymbols(uuid: String) -> Bool {
    guard let symbols = folder.symbols(uuid: uuid) else { return false }
    return symbols.trouble == nil && !symbols.isSystem
  }

  /// The child's process id; nil if none is running.
  var child: Int32? { session.withLock { $0.child?.process } }

  /// The child's resident memory in bytes; 0 if none is running.
  var childMemory: Int { session.withLock { $0.child?.memory ?? 0 } }

  /// The functions at these offsets; see `SymbolSource`.
  public func symbols(uuid: String, offsets: [UInt64]) -> [UInt64: [CallTree.Symbol]] {
    lookUp(uuid: uuid, offsets: offsets).names
  }

  /// The functions at these offsets, and the offsets without a result because the symbolizer is missing or failed. A
  /// later lookup may succeed.
  public func lookUp(
    uuid: String, offsets: [UInt64]
  ) -> (names: [UInt64: [CallTree.Symbol]], unanswered: Set<UInt64>) {
    guard let binary = folder.symbols(uuid: uuid), binary.trouble == nil else { return ([:], []) }
    // For an offset outside the code, the symbolizer would return the nearest function.
    let wanted = Set(offsets.filter(binary.code.contains))
    var found: [UInt64: [CallTree.Symbol]] = [:]
    let unknown = cache.withLock { cache in
      let generation = folder.generation
      if cache.generation != generation { cache.names.clear() }
      cache.generation = generation
      return wanted.filter { offset in
        guard let known = cache.names.symbols(for: .init(uuid: uuid, offset: offset)) else { return true }
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
        for (offset, symbols) in answers { cache.names.keep(symbols, for: .init(uuid: uuid, offset: offset)) }
      }
      found.merge(answers.filter { !$0.value.isEmpty }) { first, _ in first }
    }
    folder.markUsed(uuid: uuid, at: clock())
    return (found, unanswered)
  }

  private static let batch = 1000

  /// A copy of the frames with readable names.
  private func named(_ answers: [UInt64: [CallTree.Symbol]]) -> [UInt64: [CallTree.Symbol]] {
    let names = demangler.shown(Set(answers.values.joined().map(\.function)))
    return answers.mapValues { symbols in
      symbols.map { CallTree.Symbol(function: names[$0.function] ?? $0.function, file: $0.file, line: $0.line) }
    }
  }

  /// Sends offsets to the child; nil if the child fails or is paused.
  private func ask(_ binary: StoredSymbols, _ offsets: [UInt64]) -> [UInt64: [CallTree.Symbol]]? {
    guard let program else {
      session.withLock { $0.reportOnce(Self.missing, report) }
      return nil
    }
    return session.withLock { (session) -> [UInt64: [CallTree.Symbol]]? in
      if limits.sandbox == .require, let warning = limits.sandbox.warning(landlockVersion: limits.landlockVersion) {
        session.reportOnce(warning, report)
        return nil
      }
      let now = clock()
      guard session.pauses.isOver("", now), session.pauses.isOver(binary.uuid, now) else { return nil }
      defer { endWhenIdle(session.questions) }
      var failure = LineProcess.Failure.ended
      for _ in 0..<2 {
        guard session.prepare(program, folder, binary, limits) else {
          _ = session.pauses.fail("", now)
          session.reportOnce("\(program) does not behave like llvm-symbolizer: frames are not symbolicated.", report)
          return nil
        }
        do throws(LineProcess.Failure) {
          let answers = try session.ask(binary, offsets)
          session.pauses.succeed("")
          session.pauses.succeed(binary.uuid)
          return answers
        } catch {
          failure = error
          session.child = nil
        }
      }
      let trouble = failure.trouble(limits)
      let name = "\(binary.name) (\(UUIDText.dashed(binary.uuid)))"
      // The cause may be a shortage of memory rather than the file.
      guard session.pauses.fail(binary.uuid, now) > Backoff.seconds.count else {
        session.reportOnce("The symbols of \(name) could not be read and will be retried: \(trouble).", report)
        return nil
      }
      session.pauses.succeed(binary.uuid)
      folder.quarantine(uuid: binary.uuid, because: trouble)
      report("The symbols of \(name) are no longer read after repeated failures: \(trouble).")
      return nil
    }
  }

  private static let missing =
    "llvm-symbolizer was not found: frames are not symbolicated. On Debian, install the package llvm."

  /// Ends the child when it is idle, to free its memory.
  private func endWhenIdle(_ questions: Int) {
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .seconds(limits.idleSeconds)) { [weak self] in
      self?.session.withLock { session in
        if session.questions == questions { session.child = nil }
      }
    }
  }
}

extension LineProcess.Failure {
  /// The child's failure as a sentence, for the operator.
  fileprivate func trouble(_ limits: ChildLimits) -> String {
    switch self {
    case .ended: "llvm-symbolizer ended twice while reading them"
    case .late: "llvm-symbolizer twice took more than \(limits.answerMilliseconds / 1000) s"
    case .confused: "llvm-symbolizer twice returned malformed output"
    case .unconfined: "the kernel cannot sandbox llvm-symbolizer, which symbols-sandbox requires"
    }
  }
}

extension Array {
  fileprivate func chunks(of size: Int) -> [ArraySlice<Element>] {
    stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
  }
}

/// Pauses after failures of a file or of the program, so that they are not retried in a tight loop.
struct Backoff {
  private var failures: [String: (count: Int, until: Timestamp)] = [:]

  /// The pauses in seconds after the first, second and any later failure.
  static let seconds: [Int64] = [10, 60, 600]

  /// Whether the file named by `key` may be tried again.
  func isOver(_ key: String, _ now: Timestamp) -> Bool { failures[key].map { now >= $0.until } ?? true }

  /// Records a failed lookup; returns the number of failures in a row.
  mutating func fail(_ key: String, _ now: Timestamp) -> Int {
    let count = (failures[key]?.count ?? 0) + 1
    let pause = Self.seconds[min(count, Self.seconds.count) - 1]
    failures[key] = (count, Timestamp(milliseconds: now.milliseconds + pause * 1000))
    return count
  }

  /// Records a successful lookup, which ends the pause.
  mutating func succeed(_ key: String) { failures[key] = nil }
}

/// A cache of symbols by binary and offset that evicts approximately the least recently used entries. It has two
/// halves, and the older half is dropped when the younger is full. A hit in the older half moves the entry to the
/// younger.
struct NameCache {
  struct Key: Hashable {
    let uuid: String
    let offset: UInt64
  }

  private let limit: Int
  private var young: [Key: [CallTree.Symbol]] = [:]
  private var old: [Key: [CallTree.Symbol]] = [:]
  /// The approximate size of the younger half of the cache, in bytes.
  private var size = 0

  init(limit: Int) { self.limit = limit }

  mutating func symbols(for key: Key) -> [CallTree.Symbol]? {
    if let known = young[key] { return known }
    guard let known = old.removeValue(forKey: key) else { return nil }
    keep(known, for: key)
    return known
  }

  mutating func keep(_ symbols: [CallTree.Symbol], for key: Key) {
    if size > limit / 2 {
      old = young
      young = [:]
      size = 0
    }
    young[key] = symbols
    size += symbols.reduce(128) { $0 + 64 + $1.function.utf8.count + $1.file.utf8.count }
  }

  mutating func clear() { self = NameCache(limit: limit) }
}
