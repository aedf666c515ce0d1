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
