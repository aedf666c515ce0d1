import Core

/// What is known about a stack from its outermost frame to some frame, to class the samples that ended there.
struct HangStack {
  /// Whether a function of the app is on the stack, within the event that the main thread handles.
  private(set) var hasOwn = false
  /// Whether all frames so far are the loader and the program's entry.
  private var isEntry = true
  private var hasEntry = false
  private var hasInterface = false
  private var hasEventLoop = false
  private var hasPerson = false
  private var waitsForReply = false
  private var isDebugged = false
  /// Whether the run loop fetches events of the user.
  private var fetchesEvents = false
  /// The number of run loops, the outermost included.
  private var runLoops = 0
  /// Whether the frame is a run loop that waits for a source, or the system call in which it waits.
  private var isIdle = false
  /// The number of successive frames of Core Foundation below the caller of a run loop; nil elsewhere.
  private var loopDepth: Int?
  private var wait: HangFunctions.Wait?
  private var isInKernel = false
  /// Whether the frame itself is a function that waits.
  private var endsInWait = false

  /// A frame as the rules need it.
  struct Frame {
    var binary: String
    /// The function's name; nil if the report has none.
    var function: String?
    var isOwn: Bool
    /// Whether the frame is the program's entry, such as `main`.
    var isEntry: Bool
  }

  mutating func call(_ frame: Frame) {
    let name = frame.function.map(HangFunctions.bare) ?? ""
    if frame.isOwn { own(frame, name) } else { system(HangBinaries.role(frame.binary), name) }
    if HangFunctions.isDebugger(frame.binary, name) { isDebugged = true }
  }

  private mutating func own(_ frame: Frame, _ name: Substring) {
    isIdle = false
    loopDepth = nil
    // Without names, several frames of the app may lie between the loader and the event loop.
    if frame.isEntry || (isEntry && hasEntry && name.isEmpty) {
      hasEntry = true
      return
    }
    isEntry = false
    if HangFunctions.passesOn(name) { return }
    hasOwn = true
    wait = nil
    isInKernel = false
    endsInWait = false
  }

  private mutating func system(_ role: HangBinaries.Role, _ name: Substring) {
    if role != .loader { isEntry = false }
    isInKernel = role == .kernel
    if role == .interface || role == .graphicsServices || role == .events { hasInterface = true }
    let isFirstFetch = role == .events && !hasEventLoop
    if HangFunctions.startsEventLoop(name) || role == .graphicsServices || isFirstFetch { startEventLoop() }
    if HangFunctions.waitsForPerson(name) { hasPerson = true }
    if HangFunctions.waitsForReply(name) { waitsForReply = true }
    if HangFunctions.fetchesEvent(name) || role == .events { fetchesEvents = true }
    if name == "CFRunLoopRun" { runLoops += 1 }
    followRunLoop(role, name)
    let own = HangFunctions.wait(name)
    endsInWait = own != nil
    if wait == nil { wait = own ?? Self.wait(role) }
  }

  /// Forgets what lies outside of the event loop, such as `main`.
  private mutating func startEventLoop() {
    hasEventLoop = true
    hasOwn = false
    hasPerson = false
    wait = nil
  }

  /// Recognises a run loop that waits: by name, or without names by its shape. It is `CFRunLoopRunSpecific`,
  /// `__CFRunLoopRun` and `__CFRunLoopServiceMachPort` below the caller of the outermost loop, then system calls. Every
  /// callout of a run loop has a fourth frame of Core Foundation.
  private mutating func followRunLoop(_ role: HangBinaries.Role, _ name: Substring) {
    if HangFunctions.waitsForSource(name) {
      isIdle = true
      return
    }
    switch role {
    case .graphicsServices, .events: (isIdle, loopDepth) = (false, 0)
    case .coreFoundation: (isIdle, loopDepth) = (false, name.isEmpty ? loopDepth.map { min($0 + 1, 9) } : nil)
    case .kernel: isIdle = isIdle || loopDepth == 3
    default: (isIdle, loopDepth) = (false, nil)
    }
  }

  private static func wait(_ role: HangBinaries.Role) -> HangFunctions.Wait? {
    switch role {
    case .xpc: .ipc
    case .database: .disk
    case .threads: .lock
    default: nil
    }
  }

  // MARK: Rules

  /// The rule that classes samples which ended at this frame.
  var rule: HangRule {
    if isDebugged { return .debugger }
    if isIdle { return idleRule }
    if hasOwn { return ownRule }
    if hasEntry && !hasInterface && !hasEventLoop { return .ownMain }
    if isEntry { return .systemLoading }
    return systemRule
  }

  private var idleRule: HangRule {
    if waitsForReply { return hasOwn ? .ownIPC : .systemIPC }
    if hasPerson { return .waitsForPerson }
    if fetchesEvents { return hasOwn ? .waitsForPerson : .idleRunLoop }
    if hasOwn { return .ownRunLoop }
    return runLoops > 1 ? .systemWait : .idleRunLoop
  }

  /// What the stack waits for; nil if it runs. Code that computes in a database waits for nothing.
  private var currentWait: HangFunctions.Wait? { isInKernel || endsInWait ? wait : nil }

  private var ownRule: HangRule {
    switch currentWait {
    case .lock: .ownLock
    case .ipc: .ownIPC
    case .disk: .ownDisk
    case .network: .ownNetwork
    case .sleep: .ownSleep
    case nil: isInKernel ? .ownWait : .ownWork
    }
  }

  private var systemRule: HangRule {
    switch currentWait {
    case .lock: .systemLock
    case .ipc: .systemIPC
    case .disk: .systemDisk
    case .network: .systemNetwork
    case .sleep: .systemWait
    case nil: isInKernel ? .systemWait : .systemWork
    }
  }
}
