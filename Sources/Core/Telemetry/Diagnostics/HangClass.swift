/// Whether people felt a hang, and who can fix it. `HangRule` determines it.
public enum HangClass: Hashable, Sendable, CaseIterable {
  /// There is no stack to decide by. Counts as felt, as do hangs that older versions stored without a class.
  case unknown
  /// A function of the app, or of a library that it contains, ran or waited. Its team can fix the hang.
  case ownCode
  /// The system ran or waited in its own code, without a function of the app.
  case system
  /// No person waited for the main thread: it had nothing to do, or the app was suspended, in the background, or showed
  /// a dialog.
  case asleep

  /// Whether hangs of this class mark their session as hung and count in `hang.count`.
  public var isFelt: Bool { self != .asleep }

  /// The name in the API: `own_code`, `system`, `asleep`, `unknown`.
  public var name: String {
    switch self {
    case .unknown: "unknown"
    case .ownCode: "own_code"
    case .system: "system"
    case .asleep: "asleep"
    }
  }

  /// The name on pages: `Own code`.
  public var title: String {
    switch self {
    case .unknown: "Unknown"
    case .ownCode: "Own code"
    case .system: "System"
    case .asleep: "Asleep"
    }
  }
}

/// The rule that decided the class of a hang. Raw values are stored: never change one.
public enum HangRule: UInt8, Hashable, Sendable, CaseIterable {
  case noStack = 1

  case ownWork = 10
  case ownLock = 11
  case ownIPC = 12
  case ownDisk = 13
  case ownNetwork = 14
  case ownSleep = 15
  case ownRunLoop = 16
  case ownMain = 17
  case ownWait = 18

  case systemWork = 20
  case systemLock = 21
  case systemIPC = 22
  case systemDisk = 23
  case systemNetwork = 24
  case systemLoading = 25
  case systemWait = 26

  case idleRunLoop = 30
  case waitsForPerson = 31
  case background = 32
  case tooLong = 33
  case debugger = 34

  public var hangClass: HangClass {
    switch rawValue {
    case 10..<20: .ownCode
    case 20..<30: .system
    case 30..<40: .asleep
    default: .unknown
    }
  }

  /// The identifier in the API, such as `own_lock`.
  public var name: String { words.name }

  /// One sentence for pages: `The app's function waits for a lock, a queue or another thread.`
  public var sentence: String { words.sentence }

  private var words: (name: String, sentence: String) {
    switch self {
    case .noStack: ("no_stack", "The report has no stack.")
    case .ownWork: ("own_work", "The app's function runs.")
    case .ownLock: ("own_lock", "The app's function waits for a lock, a queue or another thread.")
    case .ownIPC: ("own_ipc", "The app's function waits for another process.")
    case .ownDisk: ("own_disk", "The app's function reads or writes a file.")
    case .ownNetwork: ("own_network", "The app's function waits for the network.")
    case .ownSleep: ("own_sleep", "The app's function sleeps.")
    case .ownRunLoop: ("own_run_loop", "The app's function runs a run loop until something happens.")
    case .ownMain: ("own_main", "The app's main function runs before the event loop.")
    case .ownWait: ("own_wait", "The app's function waits in the kernel.")
    case .systemWork: ("system_work", "System code runs, without a function of the app.")
    case .systemLock: ("system_lock", "System code waits for a lock, a queue or another thread.")
    case .systemIPC: ("system_ipc", "System code waits for another process.")
    case .systemDisk: ("system_disk", "System code reads or writes a file.")
    case .systemNetwork: ("system_network", "System code waits for the network.")
    case .systemLoading: ("system_loading", "The loader maps the app and its libraries.")
    case .systemWait: ("system_wait", "System code waits in the kernel.")
    case .idleRunLoop: ("idle_run_loop", "The main thread waits for an event, so nothing was held up.")
    case .waitsForPerson: ("waits_for_person", "A dialog or menu waits for a person.")
    case .background: ("background", "The client states that the app was in the background.")
    case .tooLong: ("too_long", "It lasted longer than the system allows a visible app: it was suspended or debugged.")
    case .debugger: ("debugger", "A debugger stopped the app.")
    }
  }

  /// Whether the stack waits instead of running.
  public var isWait: Bool {
    switch self {
    case .systemLock, .systemIPC, .systemDisk, .systemNetwork, .systemWait: true
    default: false
    }
  }
}
