public import Core
public import Storage

/// Judges releases for build servers, as `plumb check`, `plumb compare` and `plumb rollout` do.
public protocol ReleaseGate: Sendable {
  /// Judges the apps of a question. Throws `InvalidQuery` or `ImpossibleJudgement`.
  func judge(_ question: GateQuestion) throws -> GateAnswer
}

/// The subject of a judgement, and how to print the result.
public struct GateQuestion: Sendable {
  public enum Kind: Sendable {
    case check(printsAll: Bool, listsIncidents: Bool)
    case compare(base: String, head: String)
    /// `release`: nil for the newest in use; `base`: nil for the newest older one that was adopted.
    case rollout(release: String?, base: String?)
    /// Runs of performance tests. `margin`: the largest relative difference that counts as none.
    case lab(base: String, head: String, margin: Double)
  }

  public var kind: Kind
  /// The apps to judge: at least one; for a comparison or a rollout exactly one.
  public var apps: [App]
  public var query: ReportQuery
  /// The name of the output format; nil for text.
  public var format: String?
  /// The budget file sent with a request and used only for it; nil for the budgets of the data folder.
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

/// The output of a gate command, and its exit status.
public struct GateAnswer: APIObject {
  public var status: Int32
  public var text: [UInt8]
  /// Lines for standard error.
  public var messages: [String]

  public init(status: Int32, text: [UInt8], messages: [String] = []) {
    (self.status, self.text, self.messages) = (status, text, messages)
  }

  /// The JSON that a server sends.
  public static let fields = Fields<Self>("GateAnswer") {
    Field.version(HealthReport.schema)
    Field(
      "status", { Int($0.status) },
      "The command's exit status: 0 no problem, 1 a person needs to decide, 2 broken or worse, 3 not judged.",
      schema: .integer().with("enum", [0, 1, 2, 3]))
    Field("output", { String(decoding: $0.text, as: UTF8.self) }, "The command's standard output.")
    Field("messages", \.messages, "Lines for standard error.")
  }

  /// Parses the JSON that a server sent. Throws `JSONError`.
  public init(json: [UInt8]) throws {
    self = try json.withUnsafeBytes { bytes in
      try JSONParser(maximumDepth: 8).withDocument(bytes) { root in
        let members = try root.object()
        let status = try members.required("status")
        guard let number = Int32(exactly: try status.integer()) else { throw status.failure("not an exit status") }
        return GateAnswer(
          status: number, text: Array(try members.required("output").text().string.utf8),
          messages: try members.required("messages").array().map { try $0.text().string })
      }
    }
  }
}

/// Why nothing can be judged, as a sentence. Commands then exit with status 3.
public struct ImpossibleJudgement: Error, CustomStringConvertible {
  public let detail: String

  public var description: String { detail }

  public init(_ detail: String) { self.detail = detail }
}
