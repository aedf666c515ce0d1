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
  /// What the innermost function of the app, or the event, waits for; empty if unknown.
  private var wait: HangFunctionTraits = []
  private var isInKernel = false
  /// Whether the frame itself is a function that waits.
  private var endsInWait = false
  /// Whether the frame itself is a function that waits for a person.
  private var endsInPerson = false

  /// Adds a frame of the app. `function`: its name; nil if the report has none. `isEntryPoint`: whether it is the
  /// program's entry, such as `main`.
  mutating func callOwn(_ function: String?, isEntryPoint: Bool) {
    isIdle = false
    loopDepth = nil
    endsInPerson = false
    // Without names, several frames of the app may lie between the loader and the event loop.
    if isEntryPoint || (isEntry && hasEntry && function == nil) {
      hasEntry = true
      return
    }
    isEntry = false
    let traits = function.map(HangFunctionTraits.init) ?? []
    if traits.contains(.debugger) { isDebugged = true }
    if traits.contains(.passesOn) { return }
    hasOwn = true
    wait = []
    isInKernel = false
    endsInWait = false
  }

  /// Adds a frame of the system.
  mutating func callSystem(_ function: String?, _ role: HangBinaries.Role) {
    let traits = function.map(HangFunctionTraits.init) ?? []
    if role != .loader { isEntry = false }
    isInKernel = role == .kernel
    if role == .interface || role == .graphicsServices || role == .events { hasInterface = true }
    let isFirstFetch = role == .events && !hasEventLoop
    if traits.contains(.eventLoop) || role == .graphicsServices || isFirstFetch { startEventLoop() }
    endsInPerson = traits.contains(.person)
    if endsInPerson { hasPerson = true }
    if traits.contains(.debugger) || role == .debugger { isDebugged = true }
    if traits.contains(.event) || role == .events { fetchesEvents = true }
    if traits.contains(.runLoop) { runLoops += 1 }
    waitsForReply = waitsForReply || role == .replies
    followRunLoop(role, traits, isNamed: function != nil)
    let own = traits.intersection(.waits)
    endsInWait = !own.isEmpty
    if wait.isEmpty { wait = own.isEmpty ? Self.wait(role) : own }
  }

  /// Forgets what lies outside of the event loop, such as `main`.
  private mutating func startEventLoop() {
    hasEventLoop = true
    hasOwn = false
    hasPerson = false
    waitsForReply = false
    wait = []
  }

  /// Recognises a run loop that waits: by name, or without names by its shape. It is `CFRunLoopRunSpecific`,
  /// `__CFRunLoopRun` and `__CFRunLoopServiceMachPort` below the caller of the outermost loop, then system calls. Every
  /// callout of a run loop has a fourth frame of Core Foundation.
  private mutating func followRunLoop(_ role: HangBinaries.Role, _ traits: HangFunctionTraits, isNamed: Bool) {
    if traits.contains(.source) {
      isIdle = true
      return
    }
    switch role {
    case .graphicsServices, .events: (isIdle, loopDepth) = (false, 0)
    case .coreFoundation: (isIdle, loopDepth) = (false, isNamed ? nil : loopDepth.map { min($0 + 1, 9) })
    case .kernel: isIdle = isIdle || loopDepth == 3
    default: (isIdle, loopDepth) = (false, nil)
    }
  }

  private static func wait(_ role: HangBinaries.Role) -> HangFunctionTraits {
    switch role {
    case .xpc: .ipc
    case .database: .disk
    case .threads: .lock
    default: []
    }
  }

  // MARK: Rules

  /// The rule that classes samples which ended at this frame.
  var rule: HangRule {
    if isDebugged { return .debugger }
    if isIdle { return idleRule }
    if endsInPerson { return .waitsForPerson }
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

  /// What the stack waits for; empty if it runs. Code that computes in a database waits for nothing.
  private var currentWait: HangFunctionTraits { isInKernel || endsInWait ? wait : [] }

  private var ownRule: HangRule {
    switch currentWait {
    case .lock: .ownLock
    case .ipc: .ownIPC
    case .disk: .ownDisk
    case .network: .ownNetwork
    case .sleep: .ownSleep
    default: isInKernel ? .ownWait : .ownWork
    }
  }

  private var systemRule: HangRule {
    switch currentWait {
    case .lock: .systemLock
    case .ipc: .systemIPC
    case .disk: .systemDisk
    case .network: .systemNetwork
    case .sleep: .systemWait
    default: isInKernel ? .systemWait : .systemWork
    }
  }
}
