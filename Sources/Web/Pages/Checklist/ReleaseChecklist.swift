public import Analysis
import Core
import Storage

/// The checklist before a release goes to all users: topics answered by the data, and others to test by hand.
public struct ReleaseChecklist: Sendable, Equatable {
  public var app: String
  /// The release that the checklist is about; nil for the app as a whole, if no release has enough use.
  var release: String?
  var window: Window
  var environment: String
  var environmentNote: String?
  var items: [Item]
  var digestedThrough: Int64 = 0
  var asOf: Timestamp

  /// One topic with the results of its budgets.
  struct Item: Sendable, Equatable {
    var topic: Topic
    /// The results of budgets on the topic's metrics; empty if the data cannot answer it.
    var results: [BudgetResult]

    /// The combined verdict of the results; nil if the data cannot answer it.
    var verdict: Verdict? { results.isEmpty ? nil : Verdict.worst(of: results.map(\.verdict)) }
  }

  /// The topics, in the order of the page.
  enum Topic: String, Sendable, CaseIterable {
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

    /// Whether a metric belongs to the topic.
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
  static let fields = Fields<Self>("Checklist", "What the release checklist shows.") {
    Field.version(HealthReport.schema)
    Field.app(\.app)
    Field("release", \.release, "Null for the app as a whole.")
    Field("window", \.window)
    Field("slice", { Slice(environment: $0.environment, release: $0.release) })
    Field.digestedThrough(\.digestedThrough)
    Field("items", \.items)
  }

  /// One row per topic.
  public static let table = AnswerTable<Self>(\.items)
}

extension ReleaseChecklist.Topic: APIValue {}

extension ReleaseChecklist.Item: APIObject {
  public static let fields = Fields<Self>("ChecklistItem") {
    Field("topic", \.topic)
    Field("verdict", \.verdict, "Null where the data cannot answer.")
    Field("budgets", \.results)
  }
}
