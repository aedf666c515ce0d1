import Testing

@testable import Analysis
@testable import Core
@testable import Storage

@Suite("The title of an incident")
struct IncidentTitleTests {
  /// A breach by a short name: what it is about, its severity, and its headline.
  private static func breach(_ name: String, isOver: Bool = false) -> Breach {
    let release = Slice(release: "4.3.0 (1240)")
    let (key, severity, headline): (BreachKey, Severity, String) =
      switch name {
      case "crash":
        (
          BreachKey(.newGroup, "c1 4.3.0", slice: Slice()), .critical,
          "a new crash in Cart.pay() explains 73 % of its crashes"
        )
      case "crash2":
        (
          BreachKey(.newGroup, "c2 4.3.0", slice: Slice()), .critical,
          "a new crash in Feed.load() explains 14 % of its crashes"
        )
      case "hang":
        (
          BreachKey(.newGroup, "h1 4.3.0", slice: Slice()), .warning,
          "a new hang in Feed.load() explains 9 % of its hangs"
        )
      case "sessions":
        (
          BreachKey(.budget, "sessions.crash_free >= 99.5%", slice: release), .critical,
          "crash-free sessions is 98.9 %, budget ≥ 99.5 %"
        )
      case "users":
        (
          BreachKey(.budget, "users.crash_free_daily >= 99%", slice: release), .critical,
          "crash-free users is 97 %, budget ≥ 99 %"
        )
      case "burn":
        (BreachKey(.burn, slice: release), .critical, "crashes use up the error budget 14 times too fast over 1 h")
      case "worse":
        (
          BreachKey(.regression, "screen.load", slice: release), .warning,
          "p90 screen load is worse than in 4.2.1 by 12 %"
        )
      case "stale": (BreachKey(.stale), .critical, "no payload for 26 h")
      case "missing":
        (
          BreachKey(.missing, "p90 screen.load <= 1 s", slice: Slice()), .warning,
          "too little data for p90 screen load ≤ 1 s"
        )
      case let name where name.hasPrefix("w"):
        (
          BreachKey(.warning, "p90 \(name) <= 2 s", slice: release), .warning,
          "p90 \(name) is 1.8 s, warning level ≤ 1.5 s"
        )
      default:
        (BreachKey(.budget, "p90 \(name) <= 2 s", slice: release), .critical, "p90 \(name) is 2.2 s, budget ≤ 2 s")
      }
    return Breach(
      key: key, state: isOver ? .resolved : .open, severity: severity, since: .init(milliseconds: 0),
      opened: .init(milliseconds: 0), closed: isOver ? .init(milliseconds: 1) : nil,
      evidence: .init(summary: "s", headline: headline))
  }

  private static let release = IncidentKey(.release, environment: "production", release: "4.3.0")

  @Test(
    "an incident's title has the release and the worst breach, crashes first, and counts the others",
    arguments: [
      ("crash", "4.3.0: a new crash in Cart.pay() explains 73 % of its crashes"),
      // A cause stands for the rates that it lowers.
      ("sessions users burn crash", "4.3.0: a new crash in Cart.pay() explains 73 % of its crashes"),
      (
        "launch memory sessions hitch crash resume burn",
        "4.3.0: a new crash in Cart.pay() explains 73 % of its crashes; four more budgets broken"
      ),
      (
        "launch crash crash2 worse w1 w2",
        "4.3.0: a new crash in Cart.pay() explains 73 % of its crashes; one more crash group, one more budget "
          + "broken, one metric worse than before, two warning levels passed"
      ),
      ("burn users sessions", "4.3.0: crash-free sessions is 98.9 %, budget ≥ 99.5 %; one more budget broken"),
      // A metric counts once, where it is gravest.
      ("worse screen.load w1 screen.load", "4.3.0: p90 screen.load is 2.2 s, budget ≤ 2 s; one warning level passed"),
      ("burn", "4.3.0: crashes use up the error budget 14 times too fast over 1 h"),
      ("launch burn", "4.3.0: crashes use up the error budget 14 times too fast over 1 h; one budget broken"),
      ("launch hang", "4.3.0: a new hang in Feed.load() explains 9 % of its hangs; one more budget broken"),
      ("w1 launch", "4.3.0: p90 launch is 2.2 s, budget ≤ 2 s; one warning level passed"),
      ("a b c d e f g h i j k l m n", "4.3.0: p90 a is 2.2 s, budget ≤ 2 s; 13 more budgets broken"),
    ])
  func sums(names: String, title: String) {
    #expect(IncidentTitle.text(Self.release, names.split(separator: " ").map { Self.breach(String($0)) }) == title)
  }

  @Test("ended breaches are counted in the title only when all have ended")
  func over() {
    let half = [Self.breach("crash", isOver: true), Self.breach("launch")]
    #expect(IncidentTitle.text(Self.release, half) == "4.3.0: p90 launch is 2.2 s, budget ≤ 2 s")
    let all = [Self.breach("crash", isOver: true), Self.breach("launch", isOver: true)]
    #expect(
      IncidentTitle.text(Self.release, all)
        == "4.3.0: a new crash in Cart.pay() explains 73 % of its crashes; one more budget broken")
  }

  @Test("every incident that can be open at the same time has a unique subject")
  func subjects() {
    let keys =
      IncidentKey.Theme.allCases.filter { $0 != .release && $0 != .app }.map { IncidentKey($0) }
      + ["production", "beta"].flatMap { environment in
        [IncidentKey(.app, environment: environment)]
          + ["4.2.0", "4.3.0"].map { IncidentKey(.release, environment: environment, release: $0) }
      }
    #expect(Set(keys.map(IncidentTitle.subject)).count == keys.count)
    #expect(IncidentTitle.subject(IncidentKey(.release, environment: "beta", release: "4.3.0")) == "4.3.0 (beta)")
    #expect(
      IncidentTitle.text(IncidentKey(.data), [Self.breach("missing"), Self.breach("stale")])
        == "data: no payload for 26 h; one metric with too little data")
  }

  @Test("builds of a version, its groups and its comparison are one incident, and the whole app is another")
  func keys() {
    for name in ["crash", "sessions", "burn", "worse", "launch", "w1"] {
      #expect(Self.breach(name).key.incident == Self.release, "\(name)")
    }
    #expect(BreachKey(.burn, slice: Slice(release: "4.3.0")).incident == Self.release)
    #expect(BreachKey(.burn, slice: Slice()).incident == IncidentKey(.app, environment: "production"))
    #expect(Self.breach("missing").key.incident == Self.breach("stale").key.incident)
  }
}
