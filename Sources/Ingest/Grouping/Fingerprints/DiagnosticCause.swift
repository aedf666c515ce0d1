import Core

/// The reason why a diagnostic was recorded. It is coarse enough that one bug has one cause on every processor and OS
/// version.
public struct DiagnosticCause: Hashable, Sendable {
  /// The part of a cause that is compared: `bad_access`, `trap`, `watchdog`, `hang`.
  var key: String
  /// The text of a cause on pages, such as `EXC_BAD_ACCESS`.
  public var title: String

  init(key: String, title: String) {
    self.key = key
    self.title = title
  }

  /// The cause of a diagnostic.
  init(_ kind: DiagnosticKind, _ exception: ExceptionDetails) {
    switch kind {
    case .hang: self.init(key: "hang", title: "Hang")
    case .cpuException: self.init(key: "cpu", title: "High CPU use")
    case .diskWriteException: self.init(key: "disk_writes", title: "Disk writes")
    case .launchFailure: self.init(key: "launch", title: "Slow launch")
    case .memoryException: self.init(key: "memory", title: "Memory limit")
    case .error: self.init(key: "error:" + (exception.name ?? ""), title: exception.name ?? "Error")
    case .crash: self = Self.kill(exception) ?? Self.crash(exception)
    }
  }

  /// Endless recursion, in whatever form the system reports it.
  static let stackOverflow = DiagnosticCause(key: "stack_overflow", title: "Stack overflow")

  static let watchdog = DiagnosticCause(key: "watchdog", title: "Watchdog termination")
  static let lockedFile = DiagnosticCause(key: "locked_file", title: "Termination with a locked file")
  static func jetsamTitle(ofCode code: UInt64) -> String { "Jetsam termination (code \(code))" }

  /// Whether only the main thread matters. A watchdog report is about the main thread.
  var isOfMainThread: Bool { key == "watchdog" || key == "hang" || key == "launch" }

  /// The cause if the system ended the app; nil for other crashes. The reason is free text in several forms, so only
  /// its codes are compared.
  private static func kill(_ exception: ExceptionDetails) -> DiagnosticCause? {
    let end = Termination(exception.termination)
    let code = end.code ?? exception.code
    if end.isWatchdog || code == 0x8bad_f00d || exception.code == 0x8bad_f00d {
      return watchdog
    }
    if code == 0xdead_10cc || exception.code == 0xdead_10cc {
      return lockedFile
    }
    if let own = end.cause(signal: exception.signal, type: exception.type) { return own }
    let isKilled = exception.signal == 9 && (exception.type ?? 10) == 10
    // Watchdog reports often have no reason.
    guard isKilled, end.isEmpty, (exception.code ?? 0) == 0, exception.type != nil else { return nil }
    return watchdog
  }

  private static func crash(_ exception: ExceptionDetails) -> DiagnosticCause {
    var key = exception.type.flatMap(key(ofType:)) ?? exception.signal.flatMap(key(ofSignal:)) ?? key(ofName: exception)
    if key == abort, let name = exception.name, !isOfSystem(name) { key = named(abort: name) }
    let title = exception.name ?? exception.signal.flatMap(name(ofSignal:)) ?? exception.termination ?? "Crash"
    return DiagnosticCause(key: key, title: title)
  }

  /// The cause of a Mach exception type. Swift's runtime checks trap as a breakpoint on arm64 and as a bad instruction
  /// on x86-64.
  private static func key(ofType type: Int) -> String? {
    switch type {
    case 1: "bad_access"
    case 2, 6: "trap"
    case 3: "arithmetic"
    case 5, 10: nil
    case 11: "resource"
    case 12: "guard"
    default: nil
    }
  }

  private static func key(ofSignal signal: Int) -> String? {
    switch signal {
    case 10, 11: "bad_access"
    case 4, 5: "trap"
    case 8: "arithmetic"
    case 6: abort
    case 9: "kill"
    default: nil
    }
  }

  /// The cause of an exception's name. An uncaught Objective-C exception aborts.
  private static func key(ofName exception: ExceptionDetails) -> String {
    switch exception.name {
    case "EXC_BAD_ACCESS", "SIGSEGV", "SIGBUS": return "bad_access"
    case "EXC_BREAKPOINT", "EXC_BAD_INSTRUCTION", "SIGTRAP", "SIGILL": return "trap"
    case "EXC_ARITHMETIC", "SIGFPE": return "arithmetic"
    case "SIGKILL": return "kill"
    case nil: return abort
    case let name? where isAbort(name): return abort
    // An uncaught error of a language or library (`TypeError`, `std::runtime_error`).
    case let name?: return "exception:" + name
    }
  }

  /// Whether a name means an abort: a system exception or signal, or an Objective-C exception such as
  /// `NSRangeException`.
  private static func isAbort(_ name: String) -> Bool {
    if isOfSystem(name) { return true }
    let isPlain = name.utf8.allSatisfy { byte in
      (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == 95
    }
    let prefix = name.utf8.prefix { (65...90).contains($0) }
    return isPlain && prefix.count > 2 && name.hasSuffix("Exception")
  }

  /// Whether a name is that of a Mach exception or signal: `EXC_CRASH`, `SIGABRT`.
  private static func isOfSystem(_ name: String) -> Bool { name.hasPrefix("EXC_") || name.hasPrefix("SIG") }

  // MARK: Aborts

  /// The key of an abort without a named exception. Older systems report only the signal.
  static let abort = "abort"

  private static func named(abort name: String) -> String { abort + ":" + name }

  /// Whether the abort's exception has no name. Its cause may then equal one with a name.
  var isUnnamedAbort: Bool { key == Self.abort }

  var isNamedAbort: Bool { key.utf8.starts(with: (Self.abort + ":").utf8) }

  /// Creates a stored cause. In older rows, only the title names the abort's exception.
  init(storedKey key: String, title: String, _ kind: DiagnosticKind) {
    let isNamed = kind == .crash && key == Self.abort && !Self.isOfSystem(title) && Self.isAbort(title)
    self.init(key: isNamed ? Self.named(abort: title) : key, title: title)
  }

  private static func name(ofSignal signal: Int) -> String? {
    switch signal {
    case 4: "SIGILL"
    case 5: "SIGTRAP"
    case 6: "SIGABRT"
    case 8: "SIGFPE"
    case 9: "SIGKILL"
    case 10: "SIGBUS"
    case 11: "SIGSEGV"
    case 12: "SIGSYS"
    case 13: "SIGPIPE"
    default: nil
    }
  }
}

/// The system's reason for ending an app: `Namespace RUNNINGBOARD, Code 3735883980`, `FRONTBOARD 0x8badf00d`,
/// `<RBSTerminateContext| domain:10 code:0x8BADF00D …>`. Codes are compared as numbers.
private struct Termination {
  /// The namespace of a termination reason in lower case; empty if unknown.
  private(set) var namespace = ""
  private(set) var code: UInt64?
  private let text: ArraySlice<UInt8>

  var isEmpty: Bool { text.isEmpty }

  init(_ reason: String?) {
    text = String(decoding: (reason ?? "").utf8.prefix(2_000), as: UTF8.self).lowercased().bytes
    if text.isEmpty { return }
    let words = text.split(whereSeparator: Self.separators.contains).map(\.text)
    for (index, word) in words.enumerated() {
      let next = words.indices.contains(index + 1) ? words[index + 1] : ""
      if word == "namespace" {
        if namespace.isEmpty { namespace = next }
      } else if word == "code" || word == "code:" {
        code = code ?? Self.number(next)
      } else if word.hasPrefix("code:") {
        code = code ?? Self.number(word.dropFirst(5))
      } else if word.hasPrefix("domain:"), namespace.isEmpty {
        namespace = "domain " + word.dropFirst(7)
      }
    }
    if namespace.isEmpty, code == nil, words.count >= 2, let number = Self.number(words[1]) {
      (namespace, code) = (words[0], number)
    }
  }

  /// Whether a watchdog caused the termination. FrontBoard and SpringBoard also end apps for other reasons, so their
  /// names count only without a code.
  var isWatchdog: Bool {
    if text.contains("8badf00d") || text.contains("watchdog") { return true }
    return code == nil && (text.contains("frontboard") || text.contains("springboard"))
  }

  /// The cause, if the reason has a code and is neither a signal nor an abort; otherwise nil.
  func cause(signal: Int?, type: Int?) -> DiagnosticCause? {
    guard (type ?? 10) == 10, let code, !namespace.isEmpty, !Self.ofSignals.contains(namespace) else { return nil }
    // A library's abort is caused by its exception, not by the termination.
    if signal == 6, Self.ofAborts.contains(namespace) { return nil }
    let number = "0x" + String(code, radix: 16)
    if namespace == "jetsam" {
      return DiagnosticCause(key: "jetsam:" + number, title: DiagnosticCause.jetsamTitle(ofCode: code))
    }
    let name = String(decoding: namespace.utf8.prefix(60), as: UTF8.self)
    return DiagnosticCause(key: "kill:\(name):\(number)", title: "Termination by \(name.uppercased()) (\(number))")
  }

  private static let separators = Array(" ,;|<>()[]".utf8)
  private static let ofSignals: Set<String> = ["signal"]
  private static let ofAborts: Set<String> = ["objc", "libsystem", "swift", "libc++abi"]

  private static func number(_ text: some StringProtocol) -> UInt64? {
    text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
  }
}
