public import Core
public import Storage

/// Judges releases for build servers, as `plumb check` and `plumb compare` do.
public protocol ReleaseGate: Sendable {
  /// Judges. Throws `InvalidQuery`, or `ImpossibleJudgement`.
  func judge(_ question: GateQuestion) throws -> GateAnswer
}

/// What is judged, and how the result is printed.
public struct GateQuestion: Sendable {
  public enum Kind: Sendable {
    case check(printsAll: Bool, listsIncidents: Bool)
    case compare(base: String, head: String)
  }

  public var kind: Kind
  /// At least one app; for a comparison exactly one.
  public var apps: [App]
  public var query: ReportQuery
  /// The name of the output format; nil for text.
  public var format: String?
  /// The budget file of a request, which is used for it alone; nil for the budgets of the data folder.
  public var budgets: (yaml: String, name: String)?
  public var now: Timestamp

  public init(
    _ kind: Kind, apps: [App], query: ReportQuery, format: String?, budgets: (yaml: String, name: String)? = nil,
    now: Timestamp
  ) {
    self.kind = kind
    self.apps = apps
    self.query = query
    self.format = format
    self.budgets = budgets
    self.now = now
  }
}

/// What a command of the gate prints, and its exit status.
public struct GateAnswer: APIObject {
  public var status: Int32
  public var text: [UInt8]
  /// Lines for standard error.
  public var messages: [String]

  public init(status: Int32, text: [UInt8], messages: [String] = []) {
    (self.status, self.text, self.messages) = (status, text, messages)
  }

  /// The answer as a server sends it.
  public static let fields = Fields<Self>("GateAnswer") {
    Field.version(HealthReport.schema)
    Field(
      "status", { Int($0.status) },
      "The exit status of the command: 0 nothing wrong, 1 a person should look, 2 broken or worse, 3 not judged.",
      schema: .integer().with("enum", [0, 1, 2, 3]))
    Field("output", { String(decoding: $0.text, as: UTF8.self) }, "What the command prints.")
    Field("messages", \.messages, "Lines for standard error.")
  }

  /// Reads what a server sent. Throws `JSONError`.
  public init(json: [UInt8]) throws {
    self = try json.withUnsafeBytes { bytes in
      try JSONParser(maximumDepth: 8).withDocument(bytes) { root in
        let members = try root.object()
        let status = try members.required("status")
        guard let number = Int32(exactly: try status.integer()) else { throw status.failure("it is no exit status") }
        return GateAnswer(
          status: number, text: Array(try members.required("output").text().string.utf8),
          messages: try members.required("messages").array().map { try $0.text().string })
      }
    }
  }
}

/// Why nothing can be judged, as a sentence; a command then ends with status 3.
public struct ImpossibleJudgement: Error {
  public let detail: String

  public init(_ detail: String) { self.detail = detail }
}
