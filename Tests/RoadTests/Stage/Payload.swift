import Foundation
import TestSupport

/// Native JSON as an app would send it.
enum Payload {
  static let app = "com.example.shop"

  /// One document. `members` are further members, each with its own name.
  static func native(_ members: String..., release: String = "4.2.0", device: String = "iPhone15,2") -> String {
    let head = """
      "app":{"bundle_id":"\(app)","version":"\(release)","build":"1234"},\
      "device":{"model":"\(device)","os":"iOS 17.4.1 (21E236)"},"installation":"someone"
      """
    return "{" + ([head] + members).joined(separator: ",") + "}"
  }

  /// Sessions that ended well, with these ids.
  static func sessions(_ ids: [String], status: String = "exited") -> String {
    "\"sessions\":[\(ids.map { "{\"id\":\"\($0)\",\"status\":\"\(status)\"}" }.joined(separator: ","))]"
  }

  /// Measurements of one metric in its own unit.
  static func measurements(_ metric: String, _ values: [Int], label: String? = nil) -> String {
    let tail = label.map { ",\"label\":\"\($0)\"" } ?? ""
    let items = values.map { "{\"metric\":\"\(metric)\",\"value\":\($0)\(tail)}" }
    return "\"measurements\":[\(items.joined(separator: ","))]"
  }

  static func counter(_ metric: String, _ value: Int) -> String {
    "\"counters\":[{\"metric\":\"\(metric)\",\"value\":\(value)}]"
  }

  /// Sends a body and gives the status; 0 when there was no answer.
  @discardableResult
  static func post(_ body: String, to server: ServerProcess, key: String) -> Int {
    server.connect().send("POST", "/v1/payloads", [("X-Plumb-Key", key)], body: body)?.status ?? 0
  }
}
