internal import Dispatch
internal import Synchronization

/// Demangles function names in a child process, because a hostile name can make any demangler take all memory. Names
/// that are not mangled are returned at once. Thread-safe.
public final class NameDemangler: Sendable {
  private let command: [String]?
  private let limits: ChildLimits
  private let session = Mutex(Session())

  private struct Session {
    var child: LineProcess?
    var questions = 0
    /// The cache; cleared as a whole when it is full.
    var known: [String: String] = [:]
  }

  /// `command`: a program that runs `CodeName.answerLines()`, with its arguments; nil to leave Swift names mangled.
  public convenience init(command: [String]?, idleSeconds: Int = 60, sandbox: ChildSandbox = .prefer) {
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

  /// The readable form of each name; a name that cannot be demangled is returned as it is.
  public func shown(_ names: Set<String>) -> [String: String] {
    let mangled = names.filter { CodeName.isMangled($0) }
    guard !mangled.isEmpty, let command else { return [:] }
    return session.withLock { session in
      var found = session.known.filter { mangled.contains($0.key) }
      let open = mangled.filter { found[$0] == nil }.sorted()
      if !open.isEmpty {
        // After a name that ends the child, the others are still demangled by another one.
        let answers = ask(open, command, &session) ?? oneByOne(open, command, &session)
        found.merge(answers) { first, _ in first }
        if session.known.count + answers.count > Self.mostKnown { session.known = [:] }
        session.known.merge(answers) { first, _ in first }
        endWhenIdle(session.questions)
      }
      return found
    }
  }

  /// Set in the environment of the child, which cannot read its arguments.
  public static let variable = "PLUMB_DEMANGLER"

  private static let mostKnown = 20_000
  /// The most children that one call may start.
  private static let mostFailures = 3

  private func oneByOne(_ names: [String], _ command: [String], _ session: inout Session) -> [String: String] {
    var found: [String: String] = [:]
    var failures = 0
    // Behind the last failure nothing is known of a name: it is asked for again with the next call.
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

  /// Nil when the child did not survive it.
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
