/// The numbers that Darwin gives signals (`sys/signal.h`).
enum SignalNumber {
  /// 11 for `SIGSEGV`; nil for a name it does not have.
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

/// Names of Mach's exception types (XNU, `osfmk/mach/exception_types.h`).
enum MachException {
  /// `EXC_BAD_ACCESS` for 1; nil for a number without a name.
  static func name(ofType type: Int) -> String? {
    names.indices.contains(type) && !names[type].isEmpty ? "EXC_" + names[type] : nil
  }

  /// 1 for `EXC_BAD_ACCESS`; nil for a name that Mach does not have.
  static func type(named name: String) -> Int? {
    name.hasPrefix("EXC_") ? names.firstIndex(of: String(name.dropFirst(4))).flatMap { $0 > 0 ? $0 : nil } : nil
  }

  private static let names = [
    "", "BAD_ACCESS", "BAD_INSTRUCTION", "ARITHMETIC", "EMULATION", "SOFTWARE", "BREAKPOINT", "SYSCALL",
    "MACH_SYSCALL", "RPC_ALERT", "CRASH", "RESOURCE", "GUARD", "CORPSE_NOTIFY",
  ]
}
