public import Health
import JSON
public import Storage
public import Telemetry

/// What to look at before a release goes out to everybody: what the data answers, and what people must try.
public struct ReleaseChecklist: Sendable, Equatable {
  public var app: String
  /// The release it is about; nil for the app as a whole, where no release is in use enough.
  public var release: String?
  public var window: Window
  public var environment: String
  public var environmentNote: String?
  public var items: [Item]
  public var digestedThrough: Int64
  public var asOf: Timestamp

  public init(
    app: String, release: String?, window: Window, environment: String, environmentNote: String? = nil, items: [Item],
    digestedThrough: Int64 = 0, asOf: Timestamp
  ) {
    self.app = app
    self.release = release
    self.window = window
    self.environment = environment
    self.environmentNote = environmentNote
    self.items = items
    self.digestedThrough = digestedThrough
    self.asOf = asOf
  }

  /// One topic with what the data says about it.
  public struct Item: Sendable, Equatable {
    public var topic: Topic
    /// The budgets on its metrics that have data; empty where the data cannot answer.
    public var results: [BudgetResult]

    public init(topic: Topic, results: [BudgetResult]) {
      self.topic = topic
      self.results = results
    }

    /// What its budgets say together; nil where the data cannot answer.
    public var verdict: Verdict? { results.isEmpty ? nil : Verdict.worst(of: results.map(\.verdict)) }
  }

  /// In the order they are gone through.
  public enum Topic: String, Sendable, CaseIterable {
    case crashes
    case launch
    case responsiveness
    case scrolling
    case memory
    case network
    case slowNetwork = "slow_network"
    case energy
    case disk
    case criticalFlows = "critical_flows"

    /// Whether a metric answers it.
    func isAbout(_ metric: String) -> Bool {
      switch self {
      case .crashes: metric.hasPrefix("sessions.") || metric.hasPrefix("users.") || metric.hasPrefix("exits.")
      case .launch: metric.hasPrefix("launch.")
      case .responsiveness:
        metric.hasPrefix("hang.") || metric == "main_thread.block" || metric == "interaction.response"
      case .scrolling:
        metric.hasPrefix("ui.") || metric.hasPrefix("swiftui.") || metric.hasPrefix("list.") || metric == "image.decode"
      case .memory: metric.hasPrefix("memory.") || metric == "image.cache_bytes"
      case .network: metric.hasPrefix("network.")
      case .slowNetwork: false
      case .energy: metric.hasPrefix("cpu.") || metric.hasPrefix("location.") || metric.hasPrefix("time.")
      case .disk: metric.hasPrefix("disk.")
      case .criticalFlows: metric == "flow.duration" || metric == "screen.load"
      }
    }
  }
}

extension ReleaseChecklist: TableConvertible {
  /// The JSON of the API: what the checklist's page shows. What is not known is null.
  public func json() -> [UInt8] {
    let text = JSONNode.object([
      ("schema", .count(HealthReport.schema)), ("app", .string(app)), ("release", .optional(release)),
      ("window", window.json), ("slice", Slice(environment: environment, release: release).json),
      ("digested_through", .integer(digestedThrough)), ("items", .array(items.map(\.json))),
    ])
    return text.encoded() + [UInt8(ascii: "\n")]
  }

  /// A row a topic.
  public var table: CSVTable { CSVTable(columns: ["topic", "verdict"], rows: items.map(\.json)) }
}

extension ReleaseChecklist.Item {
  var json: JSONNode {
    .object([
      ("topic", .string(topic.rawValue)), ("verdict", .optional(verdict?.rawValue)),
      ("budgets", .array(results.map(\.json))),
    ])
  }
}
