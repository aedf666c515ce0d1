internal import Core

/// Reduces a Sentry event to its stored body: the members of an allow-list.
enum SentryEventRedactor {
  /// The JSON of an event with only the allowed members. Messages and the texts of exceptions are written only if
  /// `keepsText`.
  static func redact(_ event: JSONObject, keepsText: Bool) -> PackedJSON {
    PackedJSON(event.value, at: SentryBodyLocation.event.rawValue) { key, _, place in
      SentryBodyLocation(rawValue: place)?.location(of: key, keepsText: keepsText)?.rawValue
    }
  }
}

/// A location in a Sentry event. It determines which members are kept.
///
/// Only listed members are kept. Users, requests, breadcrumbs, tags and custom additions are dropped.
enum SentryBodyLocation: UInt8 {
  case event
  /// The member `exception`: the exceptions, or an object that contains them.
  case exceptions
  case mechanism
  case contexts
  case device
  case system
  case app
  /// The event's message and its parameters.
  case text
  /// Any part, such as a stack, that is kept whole except for source code and variables.
  case kept

  /// The part of the event to which the member `key` belongs; nil if the member is dropped.
  func location(of key: BorrowedJSONString, keepsText: Bool) -> SentryBodyLocation? {
    switch self {
    case .event: Self.member(ofEvent: key, keepsText)
    case .exceptions: Self.member(ofException: key, keepsText)
    case .mechanism: Self.member(ofMechanism: key, keepsText)
    case .contexts: Self.context(key)
    case .device: Self.isDevicePart(key) ? .device : nil
    case .system: Self.isSystemPart(key) ? .system : nil
    case .app: Self.isAppPart(key) ? .app : nil
    case .text: .text
    case .kept: Self.isSource(key) ? nil : .kept
    }
  }

  private static func member(ofEvent key: BorrowedJSONString, _ keepsText: Bool) -> Self? {
    switch key {
    case "event_id", "timestamp", "level", "platform", "release", "dist", "environment": .kept
    case "sdk", "threads", "stacktrace", "debug_meta": .kept
    case "exception": .exceptions
    case "contexts": .contexts
    case "message", "logentry": keepsText ? .text : nil
    default: nil
    }
  }

  private static func member(ofException key: BorrowedJSONString, _ keepsText: Bool) -> Self? {
    switch key {
    case "values": .exceptions
    case "type", "module", "thread_id", "stacktrace", "raw_stacktrace": .kept
    case "mechanism": .mechanism
    case "value": keepsText ? .text : nil
    default: nil
    }
  }

  private static func member(ofMechanism key: BorrowedJSONString, _ keepsText: Bool) -> Self? {
    switch key {
    case "type", "handled", "synthetic", "source", "exception_id", "parent_id", "is_exception_group", "meta": .kept
    case "description", "data": keepsText ? .text : nil
    default: nil
    }
  }

  private static func context(_ key: BorrowedJSONString) -> Self? {
    switch key {
    case "device": .device
    case "os", "runtime": .system
    case "app": .app
    default: nil
    }
  }

  private static func isDevicePart(_ key: BorrowedJSONString) -> Bool {
    switch key {
    case "model", "model_id", "family", "arch", "simulator", "memory_size", "free_memory", "usable_memory",
      "low_memory",
      "storage_size", "free_storage", "battery_level", "charging", "orientation", "thermal_state", "processor_count",
      "boot_time":
      true
    default: false
    }
  }

  private static func isSystemPart(_ key: BorrowedJSONString) -> Bool {
    switch key {
    case "name", "version", "build", "kernel_version", "rooted": true
    default: false
    }
  }

  private static func isAppPart(_ key: BorrowedJSONString) -> Bool {
    switch key {
    case "app_identifier", "app_version", "app_build", "app_start_time", "app_memory", "build_type", "in_foreground":
      true
    default: false
    }
  }

  private static func isSource(_ key: BorrowedJSONString) -> Bool {
    switch key {
    case "vars", "pre_context", "context_line", "post_context", "data", "description", "userInfo", "user_info": true
    default: false
    }
  }
}
