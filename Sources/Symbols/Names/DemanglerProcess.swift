internal import Dispatch
internal import Synchronization

/// A demangler of function names that runs in a child process, because a hostile name can make any demangler use all
/// memory. Thread-safe.
public final class DemanglerProcess: Sendable {
  private let command: [String]?
  private let limits: ChildLimits
  private let session = Mutex(Session())

  private struct Session {
    var child: LineProcess?
    var questions = 0
    /// The cache of readable names. It is cleared completely when it is full.
    var known: [String: String] = [:]
  }

  /// Creates a demangler. `command`: a program that runs `ReadableFunctionName.answerLines()`, with its arguments; nil
  /// leaves Swift names mangled.
  public convenience init(command: [String]?, idleSeconds: Int = 60, sandbox: LandlockRequirement = .prefer) {
    var limits = ChildLimits()
    limits.sandbox = sandbox
    self.init(command: command, idleSeconds: idleSeconds, limits)
  }

  init(command: [String]?, idleSeconds: Int = 60, _ limits: ChildLimits) {
    self.command = command
    var limits = limits
    limits.memory = 512 << 20
    limits.answerMilliseconds = 5000
    limits.idleSeconds = idleSeconds
    self.limits = limits
  }

  /// The readable forms of the mangled names among `names`. A name that cannot be demangled maps to itself.
  func shown(_ names: Set<String>) -> [String: String] {
    let mangled = names.filter { ReadableFunctionName.isMangled($0) }
    guard !mangled.isEmpty, let command else { return [:] }
    return session.withLock { session in
      var found = session.known.filter { mangled.contains($0.key) }
      let open = mangled.filter { found[$0] == nil }.sorted()
      if !open.isEmpty {
        // If a name ends the child, the names are sent one by one to new children.
        let answers = ask(open, command, &session) ?? oneByOne(open, command, &session)
        found.merge(answers) { first, _ in first }
        if session.known.count + answers.count > Self.mostKnown { session.known = [:] }
        session.known.merge(answers) { first, _ in first }
        endWhenIdle(session.questions)
      }
      return found
    }
  }

  /// An environment variable that marks the child process, because it cannot read its arguments.
  public static let variable = "PLUMB_DEMANGLER"

  private static let mostKnown = 20_000
  /// The maximum number of failures, and of restarts of the child, in one call.
  private static let mostFailures = 3

  private func oneByOne(_ names: [String], _ command: [String], _ session: inout Session) -> [String: String] {
    var found: [String: String] = [:]
    var failures = 0
    // Names after the last failure are omitted, so that the next call tries them again.
    for name in names where failures < Self.mostFailures {
      if let answer = ask([name], command, &session) {
        found.merge(answer) { first, _ in first }
      } else {
        failures += 1
        found[name] = name
      }
    }
    return found
  }

  /// Sends mangled names to the child and returns the readable ones; nil if the child fails.
  private func ask(_ names: [String], _ command: [String], _ session: inout Session) -> [String: String]? {
    guard let program = command.first else { return nil }
    session.questions += 1
    do throws(LineProcess.Failure) {
      let child: LineProcess
      if let running = session.child {
        child = running
      } else {
        child = try LineProcess(
          command: command, folder: "/", readable: SymbolizerProgram.readable(program),
          environment: [Self.variable + "=1"], limits: limits)
        session.child = child
      }
      var found: [String: String] = [:]
      try child.ask(names) { index, line in found[names[index]] = String(decoding: line, as: UTF8.self) }
      return found
    } catch {
      session.child = nil
      return nil
    }
  }

  private func endWhenIdle(_ questions: Int) {
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .seconds(limits.idleSeconds)) { [weak self] in
      self?.session.withLock { session in
        if session.questions == questions { session.child = nil }
      }
    }
  }
}
