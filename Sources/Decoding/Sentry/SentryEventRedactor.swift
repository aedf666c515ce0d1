internal import JSON

/// Reduces a Sentry event to the body that is stored: the members of an allow-list, as compact JSON.
struct SentryEventRedactor {
  private var bytes: [UInt8] = []
  private var open: [Container] = []

  /// A container whose members or elements are being written.
  private struct Container {
    enum Rest {
      case members(JSONObject.Iterator)
      case elements(JSONArray.Iterator)
    }
    var rest: Rest
    let location: SentryBodyLocation
    var isFirst = true
  }

  /// The JSON of an event with only the allowed members. Without `keepsText`, messages and the texts of exceptions are
  /// left out, too.
  static func redact(_ event: JSONObject, keepsText: Bool) -> [UInt8] {
    var writer = SentryEventRedactor()
    writer.begin(event.value, at: .event)
    // Iterative, because clients determine the depth.
    while !writer.open.isEmpty { writer.step(keepsText) }
    return writer.bytes
  }

  /// Writes the next member or element of the innermost container, or closes it.
  private mutating func step(_ keepsText: Bool) {
    guard var container = open.popLast() else { return }
    var key: BorrowedJSONString?
    var value: JSONValue?
    switch container.rest {
    case .members(var rest):
      if let next = rest.next() { (key, value) = (next.key, next.value) }
      container.rest = .members(rest)
    case .elements(var rest):
      value = rest.next()
      container.rest = .elements(rest)
    }
    guard let value else { return end(container) }
    guard let location = key.map({ container.location.location(of: $0, keepsText: keepsText) }) ?? container.location
    else {
      return open.append(container)
    }
    if !container.isFirst { bytes.append(UInt8(ascii: ",")) }
    container.isFirst = false
    open.append(container)
    if let key {
      write(key)
      bytes.append(UInt8(ascii: ":"))
    }
    begin(value, at: location)
  }

  private mutating func end(_ container: Container) {
    if case .members = container.rest { bytes.append(UInt8(ascii: "}")) } else { bytes.append(UInt8(ascii: "]")) }
  }

  private mutating func begin(_ value: JSONValue, at location: SentryBodyLocation) {
    switch value.kind {
    case .object:
      guard let object = value.objectOrNil else { return null() }
      bytes.append(UInt8(ascii: "{"))
      open.append(Container(rest: .members(object.makeIterator()), location: location))
    case .array:
      guard let array = value.arrayOrNil else { return null() }
      bytes.append(UInt8(ascii: "["))
      open.append(Container(rest: .elements(array.makeIterator()), location: location))
    case .string: if let text = value.textOrNil { write(text) } else { null() }
    case .integer:
      append((value.integerOrNil).map { String($0) } ?? (value.unsignedIntegerOrNil).map { String($0) })
    case .double: append((value.numberOrNil).map { "\($0)" })
    case .boolean: append((value.booleanOrNil).map { $0 ? "true" : "false" })
    case .null: null()
    }
  }

  private mutating func null() { append("null") }

  private mutating func append(_ text: String?) { bytes += (text ?? "null").utf8 }

  private mutating func write(_ text: BorrowedJSONString) {
    JSONEscape.append(text.bytes, to: &bytes)
  }
}

/// A location in a Sentry event, which determines the members that are kept.
///
/// Only listed members are kept. Users, requests, breadcrumbs, tags and custom additions are dropped.
enum SentryBodyLocation {
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
  /// Any part, such as a stack, that is kept with everything in it except source code and variables.
  case kept

  /// The part of the event to which the member `key` belongs; nil when the member is dropped.
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
