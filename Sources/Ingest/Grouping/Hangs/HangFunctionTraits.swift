/// What a function's name says about a hang. The names are facts about the systems from iOS 12 and macOS 10.13 to their
/// versions 27.
struct HangFunctionTraits: OptionSet {
  let rawValue: UInt16

  /// Runs the process's event loop. Frames outside of it belong to no event.
  static let eventLoop = HangFunctionTraits(rawValue: 1)
  /// A run loop, which may be one of several.
  static let runLoop = HangFunctionTraits(rawValue: 2)
  /// Waits in a run loop for a source.
  static let source = HangFunctionTraits(rawValue: 4)
  /// Fetches the next event of the user.
  static let event = HangFunctionTraits(rawValue: 8)
  /// Waits until a person answers a dialog or leaves a menu.
  static let person = HangFunctionTraits(rawValue: 16)
  /// Apps override or replace it only to watch events, and pass them on.
  static let passesOn = HangFunctionTraits(rawValue: 32)
  static let debugger = HangFunctionTraits(rawValue: 64)
  static let lock = HangFunctionTraits(rawValue: 128)
  static let ipc = HangFunctionTraits(rawValue: 256)
  static let disk = HangFunctionTraits(rawValue: 512)
  static let network = HangFunctionTraits(rawValue: 1024)
  static let sleep = HangFunctionTraits(rawValue: 2048)

  /// All that a function may wait for.
  static let waits: HangFunctionTraits = [.lock, .ipc, .disk, .network, .sleep]

  init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The traits of a function. Some clients write one more underscore before C functions than others, and some append
  /// an offset, as in `_mach_msg + 24`, so neither is compared. Only the start of a long name is.
  init(_ name: String) {
    let whole = name.utf8.prefix(Self.longest).drop { $0 == UInt8(ascii: "_") }
    let text =
      whole.firstIndex(of: UInt8(ascii: "+")).map { plus in
        plus == whole.startIndex ? whole : whole[..<plus].dropLast()
      } ?? whole
    guard let first = text.first else {
      self = []
      return
    }
    if first == UInt8(ascii: "-") || first == UInt8(ascii: "+") {
      self = Self.method(whole)
    } else {
      self = Self.exact[String(Substring(text))] ?? Self.prefixed(text)
    }
  }

  /// The length in bytes to which names are compared.
  private static let longest = 200

  /// The traits of an Objective-C method, by its whole name or by its selector.
  private static func method(_ text: Substring.UTF8View.SubSequence) -> HangFunctionTraits {
    if let known = exact[String(Substring(text))] { return known }
    guard let space = text.firstIndex(of: UInt8(ascii: " ")) else { return [] }
    let selector = text[text.index(after: space)...]
    return selectors.first { selector.starts(with: $0.0) }?.1 ?? []
  }

  private static let selectors: [([UInt8], HangFunctionTraits)] = {
    let selectors: [(String, HangFunctionTraits)] = [
      ("runModal]", .person), ("runModalForWindow:", .person), ("runModalSession:", .person),
      ("_doModalLoop:", .person), ("_realDoModalLoop:", .person), ("popUpMenu:", .person),
      ("popUpMenuPositioningItem:", .person), ("popUpContextMenu:", .person), ("nextEventMatching", .event),
      ("_nextEventMatching", .event), ("sendEvent:]", .passesOn), ("sendAction:to:from:", .passesOn),
    ]
    return selectors.map { (Array($0.0.utf8), $0.1) }
  }()

  private static func prefixed(_ text: Substring.UTF8View.SubSequence) -> HangFunctionTraits {
    for (table, traits) in prefixes where table.matches(text) { return traits }
    return []
  }

  private static let prefixes: [(NamePrefixSet, HangFunctionTraits)] = [
    (
      NamePrefixSet([
        "psynch_", "ulock_wait", "semaphore_", "dispatch_sync", "dispatch_once_wait", "dispatch_group_wait",
      ]), .lock
    ),
    (NamePrefixSet(["mach_msg", "NSXPCCONNECTION_IS_WAITING", "IPC::Connection::waitFor"]), .ipc),
    (NamePrefixSet(["thunk for ", "reabstraction thunk"]), .passesOn),
    // The loader calls them, and they do nothing: debuggers set breakpoints in them.
    (NamePrefixSet(["gdb_image_notifier", "lldb_image_notifier"]), .debugger),
  ]

  private static let exact: [String: HangFunctionTraits] = {
    var exact: [String: HangFunctionTraits] = [:]
    for (traits, names) in named { for name in names { exact[name] = traits } }
    return exact
  }()

  private static let named: [(HangFunctionTraits, [String])] = [
    (
      .eventLoop,
      [
        "UIApplicationMain", "UIApplicationMain(_:_:_:_:)", "-[UIApplication _run]", "GSEventRunModal", "GSEventRun",
        "NSApplicationMain", "-[NSApplication run]", "NSExtensionMain", "EXExtensionMain", "xpc_main", "xpc_objc_main",
        "WKExtensionMain", "SPApplicationMain", "WKApplicationMain", "dispatch_main",
      ]
    ),
    (.runLoop, ["CFRunLoopRun"]),
    (.source, ["CFRunLoopServiceMachPort", "sigsuspend", "sigsuspend_nocancel"]),
    (
      .event,
      [
        "DPSNextEvent", "DPSBlockUntilNextEventMatchingListInMode", "ReceiveNextEventCommon",
        "BlockUntilNextEventMatchingListInMode", "BlockUntilNextEventMatchingListInModeWithFilter",
      ]
    ),
    (
      .person, ["NSTryRunModal", "MenuSelectCore", "NSAlert.runModal()", "NSSavePanel.runModal()", "runModalSession"]
    ),
    (.debugger, ["DebuggerBreak", "lldb_expr"]),
    (
      .lock,
      [
        "objc_sync_enter", "os_unfair_lock_lock_slow", "os_lock_handoff_lock_slow", "kevent_id",
        "DISPATCH_WAIT_FOR_QUEUE__", "pthread_mutex_lock", "pthread_cond_wait", "pthread_join",
        "syscall_thread_switch", "-[NSCondition wait]", "-[NSOperation waitUntilFinished]",
        "-[UIKeyboardTaskQueue waitUntilAllTasksAreFinished]",
      ]
    ),
    (
      .ipc,
      [
        "xpc_connection_send_message_with_reply_sync", "dispatch_mach_send_and_wait_for_reply", "IOConnectCallMethod",
        "io_connect_method", "SecItemCopyMatching", "SecItemAdd", "SecItemUpdate", "SecItemDelete",
        "securityd_message_with_reply_sync",
      ]
    ),
    (
      .disk,
      [
        "pread", "pwrite", "read", "write", "open", "openat", "open_nocancel", "openat_nocancel", "read_nocancel",
        "write_nocancel", "pread_nocancel", "pwrite_nocancel", "guarded_pwrite_np", "guarded_write_np", "fsync",
        "fcntl", "fcntl_nocancel", "stat", "stat64", "fstat", "fstat64", "lstat", "lstat64", "rename", "unlink",
        "flock", "ftruncate", "getattrlist", "getattrlistbulk", "getdirentries64", "mkdir", "msync", "close", "access",
        "fgetxattr", "getxattr", "setxattr", "copyfile", "clonefileat", "sqlite3_step", "sqlite3_exec",
      ]
    ),
    (
      .network,
      [
        "recvfrom", "recvmsg", "sendto", "connect", "poll", "select", "getaddrinfo",
        "CFURLConnectionSendSynchronousRequest", "SCNetworkReachabilityGetFlags",
        "+[NSURLConnection sendSynchronousRequest:returningResponse:error:]",
      ]
    ),
    (.sleep, ["semwait_signal", "nanosleep", "usleep", "sleep", "+[NSThread sleepForTimeInterval:]"]),
  ]
}
