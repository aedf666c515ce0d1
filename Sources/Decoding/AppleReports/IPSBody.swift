internal import JSON

/// The part of an `.ips` file that is kept for people to look at.
enum IPSBody {
  /// Identifiers of the device or person, paths (a Mac's begin with the person's name) and memory are left out; free text is,
  /// unless the app keeps it.
  static func write(_ body: JSONObject, keepsText: Bool) -> [UInt8] {
    var writer = JSONCompactWriter { key, value in isPersonal(key) || (!keepsText && isText(key)) }
    writer.append(body.value)
    return writer.bytes
  }

  private static func isPersonal(_ key: JSONText) -> Bool {
    switch key {
    case "crashReporterKey", "systemID", "deviceIdentifierForVendor", "userID", "storeInfo", "sleepWakeUUID",
      "bootSessionUUID", "procPath", "parentPath", "path", "instructionByteStream", "threadState", "vmregioninfo",
      "trialInfo", "storeCohortMetadata":
      true
    default: false
    }
  }

  /// What the app or its libraries wrote; the system's words about the end may quote it.
  private static func isText(_ key: JSONText) -> Bool {
    switch key {
    case "asi", "asiBacktraces", "asiSignatures", "exceptionReason", "details", "reasons", "message", "reason",
      "composed_message", "format_string", "arguments", "ktriageinfo":
      true
    default: false
    }
  }
}
