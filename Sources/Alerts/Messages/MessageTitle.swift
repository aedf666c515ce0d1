import Notifications
import Storage
import Telemetry
import Wording

/// The first line of a message: it says all that is needed.
struct MessageTitle {
  private let told: [(incident: Incident, event: AlertMessage.Event)]
  private let app: String

  /// The gravest first.
  init(_ told: [(incident: Incident, event: AlertMessage.Event)], app: String) {
    self.told = told
    self.app = app
  }

  /// `BROKEN com.example.shop: p90 launch.first_draw is 2.31 s (…), budget <= 2 s [production, 4.2.0]; also …`
  var text: String {
    guard let first = told.first else { return app }
    let start = "\(Self.word(first.event, first.incident)) \(app): \(first.incident.evidence.summary)"
    let others = told.dropFirst()
    guard !others.isEmpty else { return start }
    let named = others.prefix(Self.most).map { name($0.incident, $0.event, after: first.event) }
    let more = others.count > Self.most ? " and \(others.count - Self.most) more" : ""
    return "\(start); also \(named.joined(separator: ", "))\(more)"
  }

  /// Others beyond so many are counted only.
  private static let most = 4

  /// In capitals, so that it is seen in a list.
  static func word(_ event: AlertMessage.Event, _ incident: Incident) -> String {
    switch event {
    case .opened: state(incident)
    case .stillBroken: "STILL \(state(incident))"
    case .resolved: "RESOLVED"
    case .retired: "RETIRED"
    case .digest: "DIGEST"
    }
  }

  private static func state(_ incident: Incident) -> String {
    switch incident.key.rule {
    case .stale: "NO DATA"
    case .missing: "NOT ENOUGH DATA"
    case .digest: "BEHIND"
    case .quarantine: "SET ASIDE"
    case .evaluation: "NOT JUDGED"
    case .regression: "WORSE"
    case .newGroup: "NEW CAUSE"
    case .groupSpike: "SPIKE"
    case .budget, .warning, .burn: incident.severity == .critical ? "BROKEN" : "WARNING"
    }
  }

  private func name(_ incident: Incident, _ event: AlertMessage.Event, after first: AlertMessage.Event) -> String {
    let release = incident.key.slice?.release.map { " of \($0)" } ?? ""
    let word = event == first ? "" : " (\(Self.word(event, incident).lowercased()))"
    return incident.key.title + release + word
  }
}
