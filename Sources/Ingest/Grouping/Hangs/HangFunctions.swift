/// The names of functions and binaries by which hangs are classed. They are facts about the systems from iOS 12 and
/// macOS 10.13 to their versions 27.
///
/// Some clients write one more underscore before C functions than others, so names are compared without leading ones.
enum HangFunctions {
  /// What a function waits for.
  enum Wait: UInt8 { case lock, ipc, disk, network, sleep }

  /// The bare name: without leading underscores and an offset, as in `_mach_msg + 24`.
  static func bare(_ name: String) -> Substring {
    let text = name.drop { $0 == "_" }
    guard let plus = text.firstRange(of: " + ") else { return text }
    return text[..<plus.lowerBound]
  }

  /// The functions that run the process's event loop. Frames outside of them belong to no event.
  static func startsEventLoop(_ name: Substring) -> Bool { eventLoops.contains(name) }

  private static let eventLoops: Set<Substring> = [
    "UIApplicationMain", "UIApplicationMain(_:_:_:_:)", "-[UIApplication _run]", "GSEventRunModal", "GSEventRun",
    "NSApplicationMain", "-[NSApplication run]", "NSExtensionMain", "EXExtensionMain", "xpc_main", "xpc_objc_main",
    "WKExtensionMain", "SPApplicationMain", "WKApplicationMain", "dispatch_main",
  ]

  /// The functions in which a run loop waits for a source.
  static func waitsForSource(_ name: Substring) -> Bool {
    name == "CFRunLoopServiceMachPort" || name == "sigsuspend" || name == "sigsuspend_nocancel"
  }

  /// The functions that fetch the next event of the user.
  static func fetchesEvent(_ name: Substring) -> Bool { events.contains(name) || name.contains("extEventMatching") }

  private static let events: Set<Substring> = [
    "DPSNextEvent", "DPSBlockUntilNextEventMatchingListInMode", "ReceiveNextEventCommon",
    "BlockUntilNextEventMatchingListInMode", "BlockUntilNextEventMatchingListInModeWithFilter",
    "BlockUntilNextEventMatchingListInModeFilter",
  ]

  /// The functions that wait until a person answers a dialog or leaves a menu.
  static func waitsForPerson(_ name: Substring) -> Bool {
    name.hasSuffix(" runModal]") || name.contains("runModalForWindow:") || name.contains("_doModalLoop")
      || name.contains("popUpMenu") || name.contains("popUpContextMenu") || name.contains("NSAlert.runModal")
      || name.hasSuffix(".runModal()") || name == "NSTryRunModal" || name == "MenuSelectCore"
  }

  /// The classes that wait in a run loop for a reply of another process.
  static func waitsForReply(_ name: Substring) -> Bool { name.contains("HIRunLoopSemaphore") }

  /// The methods that apps override or replace only to watch events and pass them on.
  static func passesOn(_ name: Substring) -> Bool {
    name.hasSuffix(" sendEvent:]") || name.hasSuffix(".sendEvent(_:)")
      || name.hasSuffix(" sendAction:to:from:forEvent:]") || name.hasSuffix(" sendAction:to:from:]")
      || name.hasPrefix("thunk for ") || name.hasPrefix("reabstraction thunk")
  }

  /// What a system function waits for, whichever functions it calls.
  static func wait(_ name: Substring) -> Wait? {
    if let known = waits[name] { return known }
    if name.hasPrefix("mach_msg") { return .ipc }
    if name.hasPrefix("psynch_") || name.hasPrefix("ulock_wait") || name.hasPrefix("semaphore_") { return .lock }
    if name.hasPrefix("dispatch_sync") || name.hasPrefix("dispatch_once_wait") { return .lock }
    if name.hasPrefix("dispatch_group_wait") { return .lock }
    if name.hasPrefix("NSXPCCONNECTION_IS_WAITING") || name.hasPrefix("IPC::Connection::waitFor") { return .ipc }
    return nil
  }

  private static let waits: [Substring: Wait] = {
    var waits: [Substring: Wait] = [:]
    let names: [(Wait, [Substring])] = [
      (
        .lock,
        [
          "objc_sync_enter", "os_unfair_lock_lock_slow", "os_lock_handoff_lock_slow", "kevent_id",
          "DISPATCH_WAIT_FOR_QUEUE__", "pthread_mutex_lock", "pthread_cond_wait", "pthread_join",
          "syscall_thread_switch", "dispatch_semaphore_wait", "-[NSCondition wait]",
          "-[NSOperation waitUntilFinished]", "-[UIKeyboardTaskQueue waitUntilAllTasksAreFinished]",
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
          "flock", "ftruncate", "getattrlist", "getattrlistbulk", "getdirentries64", "mkdir", "msync", "close",
          "sqlite3_step", "sqlite3_exec", "access", "fgetxattr", "getxattr", "setxattr", "copyfile", "clonefileat",
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
    for (wait, list) in names { for name in list { waits[name] = wait } }
    return waits
  }()

  /// The functions and binaries of a debugger in the stack of the main thread.
  static func isDebugger(_ binary: String, _ name: Substring) -> Bool {
    binary == "libViewDebuggerSupport.dylib" || binary == "lldb" || binary == "debugserver"
      || name == "DebuggerBreak" || name == "dbg_stop" || name == "lldb_expr"
  }
}
