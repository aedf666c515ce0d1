internal import JSON

/// The members in which exceptions' free text stands. It may quote what users typed.
enum ExceptionText {
  static func isHeld(by key: JSONText, _ value: JSONValue) -> Bool {
    switch key {
    case "composedMessage", "formatString", "arguments", "applicationSpecificInformation", "reason": true
    // A text here, an object of the above there.
    case "exceptionReason", "objectiveCexceptionReason", "objectiveCExceptionReason": value.kind != .object
    default: false
    }
  }
}
