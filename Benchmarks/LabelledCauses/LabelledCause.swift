import Core
import TestSupport

/// One bug. Every tenth number is the same kind of bug, so that any number of causes includes the difficult kinds.
struct LabelledCause {
  let number: Int

  init(_ number: Int) { self.number = number }

  /// The difficulty of recognising a bug.
  enum Sort {
    case plain
    /// The bug is below a helper of the app that other bugs share. Only the caller distinguishes them.
    case sharedHelper
    /// The function is reached in several ways.
    case manyWays
    /// The function of the bug before it, but with another exception.
    case otherException
    case watchdog
    case hang
    case load
    case recursion
    /// The crash is in the standard library or a helper of the runtime.
    case runtime
    case systemOnly
  }

  var sort: Sort {
    switch number % 20 {
    case 0, 1, 2, 15, 16: .plain
    case 3, 4, 17: .sharedHelper
    case 5, 6, 18: .manyWays
    case 7: .otherException
    case 8: .watchdog
    case 9, 10: .hang
    case 11: .load
    case 12: .recursion
    case 13, 19: .runtime
    // A few bugs involve no code of the app.
    default: number < 60 ? .systemOnly : .plain
    }
  }

  var kind: DiagnosticKind {
    switch sort {
    case .hang: .hang
    case .load: [.cpuException, .diskWriteException, .memoryException][number / 20 % 3]
    default: .crash
    }
  }

  var isChain: Bool { sort != .hang && sort != .load }

  /// The bug's own function.
  private var own: Int { sort == .otherException ? 1_000 + 5 * (number - 1) : 1_000 + 5 * number }
  private var helper: Int { number % 20 == 17 ? 8 : 7 + number % 20 }

  /// The exception as this OS version reports it.
  func exception(system: Int, _ random: inout SeededRandom) -> ExceptionDetails {
    switch sort {
    case .hang, .load: return ExceptionDetails()
    case .watchdog:
      if system == 0 { return ExceptionDetails(type: 10, code: 0, signal: 9, name: "EXC_CRASH") }
      return ExceptionDetails(
        type: 10, code: 0, signal: 9, name: "EXC_CRASH",
        termination: "<RBSTerminateContext| domain:10 code:0x8BADF00D explanation:scene-update watchdog>")
    case .plain where number % 3 == 0, .manyWays, .systemOnly, .recursion:
      return ExceptionDetails(
        type: 1, code: random.happens(0.5) ? 1 : 2, signal: random.happens(0.8) ? 11 : 10, name: "EXC_BAD_ACCESS")
    case .plain where number % 3 == 1:
      // OS versions before 17 report no exception's name.
      return ExceptionDetails(type: 10, signal: 6, name: system < 2 ? "EXC_CRASH" : "NSInvalidArgumentException")
    default:
      // A Swift trap is another instruction on another processor.
      let isIntel = random.happens(0.1)
      return ExceptionDetails(
        type: isIntel ? 2 : 6, signal: isIntel ? 4 : 5, name: isIntel ? "EXC_BAD_INSTRUCTION" : "EXC_BREAKPOINT")
    }
  }

  /// Writes the stack, outermost first.
  func write(into stack: inout StackWriter, _ random: inout SeededRandom) {
    stack.start(onMain: sort == .watchdog || sort == .hang || number % 2 == 0)
    if sort == .systemOnly {
      for binary in Self.systemPaths[number / 20 % Self.systemPaths.count] { stack.system(binary) }
      return
    }
    if sort == .recursion {
      stack.own(own + 2)
      let rounds = 20 + random.below(20)
      for round in 0..<rounds { stack.own(number / 20 % 2 == 0 || round % 2 == 0 ? own : own + 1) }
      if random.happens(0.5) { stack.own(number / 20 % 2 == 0 ? own : own + 1) }
      return
    }
    way(into: &stack, &random)
    stack.own(own)
    if sort == .sharedHelper { stack.own(helper) }
    end(of: &stack, &random)
  }

  private func way(into stack: inout StackWriter, _ random: inout SeededRandom) {
    let way = sort == .manyWays ? random.below(3) : 0
    // Most ways come through the system: a tap, a notification, a queue.
    stack.own(own + 1 + (sort == .manyWays ? way : 0))
    if way > 0 || number % 3 == 0 { stack.events() }
    if sort == .manyWays, way == 2 { stack.own(own + 4) }
  }

  private func end(of stack: inout StackWriter, _ random: inout SeededRandom) {
    switch sort {
    case .runtime:
      stack.inlined("Swift runtime failure: Index out of range")
      if number % 2 == 0 { stack.system("libswiftCore.dylib") }
    case .watchdog: for binary in ["libdispatch.dylib", "libsystem_kernel.dylib"] { stack.system(binary) }
    case .plain where number % 3 == 1:
      for binary in ["CoreFoundation", "libobjc.A.dylib", "libc++abi.dylib", "libsystem_kernel.dylib"] {
        stack.system(binary)
      }
    case .plain, .sharedHelper: if number % 2 == 0 { stack.system("libobjc.A.dylib") }
    default: break
    }
  }

  private static let systemPaths = [
    ["UIKitCore", "QuartzCore", "libobjc.A.dylib"], ["CFNetwork", "CoreFoundation"], ["AVFCore", "libobjc.A.dylib"],
  ]
}
