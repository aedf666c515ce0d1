/// Darwin's signal numbers (`sys/signal.h`).
enum SignalNumber {
  /// The signal's number, 11 for `SIGSEGV`; nil for an unknown name.
  static func named(_ name: some StringProtocol) -> Int? {
    switch String(name) {
    case "SIGHUP": 1
    case "SIGINT": 2
    case "SIGQUIT": 3
    case "SIGILL": 4
    case "SIGTRAP": 5
    case "SIGABRT": 6
    case "SIGFPE": 8
    case "SIGKILL": 9
    case "SIGBUS": 10
    case "SIGSEGV": 11
    case "SIGSYS": 12
    case "SIGPIPE": 13
    case "SIGTERM": 15
    default: nil
    }
  }
}

/// The names of Mach's exception types (XNU, `osfmk/mach/exception_types.h`).
enum MachException {
  /// The name of an exception type, `EXC_BAD_ACCESS` for 1; nil for an unknown number.
  static func name(ofType type: Int) -> String? {
    names.indices.contains(type) && !names[type].isEmpty ? "EXC_" + names[type] : nil
  }

  /// The number of an exception type, 1 for `EXC_BAD_ACCESS`; nil for an unknown name.
  static func type(named name: String) -> Int? {
    name.hasPrefix("EXC_") ? names.firstIndex(of: String(name.dropFirst(4))).flatMap { $0 > 0 ? $0 : nil } : nil
  }

  private static let names = [
    "", "BAD_ACCESS", "BAD_INSTRUCTION", "ARITHMETIC", "EMULATION", "SOFTWARE", "BREAKPOINT", "SYSCALL",
    "MACH_SYSCALL", "RPC_ALERT", "CRASH", "RESOURCE", "GUARD", "CORPSE_NOTIFY",
  ]
}
