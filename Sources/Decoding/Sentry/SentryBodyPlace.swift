internal import JSON

/// Where in an event a member stands, and which members of it are kept.
///
/// Named are those that are kept: users, requests, breadcrumbs, tags and whatever an app adds of its own are not.
enum SentryBodyPlace {
  case event
  /// The exceptions, or the object around them.
  case exceptions
  case mechanism
  case contexts
  case device
  case system
  case app
  /// A message in its parts.
  case text
  /// Stacks, threads and images: all of it but the source and the variables.
  case stacks

  /// Where the member `key` stands; nil when it is left out.
  func place(of key: JSONText, keepsText: Bool) -> SentryBodyPlace? {
    switch self {
    case .event: Self.member(ofEvent: key, keepsText)
    case .exceptions: Self.member(ofException: key, keepsText)
    case .mechanism: Self.member(ofMechanism: key, keepsText)
    case .contexts: Self.context(key)
    case .device: Self.isDevicePart(key) ? .device : nil
    case .system: Self.isSystemPart(key) ? .system : nil
    case .app: Self.isAppPart(key) ? .app : nil
    case .text: .text
    case .stacks: Self.isSource(key) ? nil : .stacks
    }
  }

  private static func member(ofEvent key: JSONText, _ keepsText: Bool) -> Self? {
    switch key {
    case "event_id", "timestamp", "level", "platform", "release", "dist", "environment": .stacks
    case "sdk", "threads", "stacktrace", "debug_meta": .stacks
    case "exception": .exceptions
    case "contexts": .contexts
    case "message", "logentry": keepsText ? .text : nil
    default: nil
    }
  }

  private static func member(ofException key: JSONText, _ keepsText: Bool) -> Self? {
    switch key {
    case "values": .exceptions
    case "type", "module", "thread_id", "stacktrace", "raw_stacktrace": .stacks
    case "mechanism": .mechanism
    case "value": keepsText ? .text : nil
    default: nil
    }
  }

  private static func member(ofMechanism key: JSONText, _ keepsText: Bool) -> Self? {
    switch key {
    case "type", "handled", "synthetic", "source", "exception_id", "parent_id", "is_exception_group", "meta": .stacks
    case "description", "data": keepsText ? .text : nil
    default: nil
    }
  }

  private static func context(_ key: JSONText) -> Self? {
    switch key {
    case "device": .device
    case "os", "runtime": .system
    case "app": .app
    default: nil
    }
  }

  private static func isDevicePart(_ key: JSONText) -> Bool {
    switch key {
    case "model", "model_id", "family", "arch", "simulator", "memory_size", "free_memory", "usable_memory",
      "low_memory",
      "storage_size", "free_storage", "battery_level", "charging", "orientation", "thermal_state", "processor_count",
      "boot_time":
      true
    default: false
    }
  }

  private static func isSystemPart(_ key: JSONText) -> Bool {
    switch key {
    case "name", "version", "build", "kernel_version", "rooted": true
    default: false
    }
  }

  private static func isAppPart(_ key: JSONText) -> Bool {
    switch key {
    case "app_identifier", "app_version", "app_build", "app_start_time", "app_memory", "build_type", "in_foreground":
      true
    default: false
    }
  }

  private static func isSource(_ key: JSONText) -> Bool {
    switch key {
    case "vars", "pre_context", "context_line", "post_context", "data", "description", "userInfo", "user_info": true
    default: false
    }
  }
}
