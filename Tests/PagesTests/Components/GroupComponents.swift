@testable import Analysis
@testable import Core
@testable import Storage
@testable import Web

/// What shows the causes of crashes and hangs.
extension GoldenTests {
  private static let crash = Fleet.groupPage()
  private static let hang = Fleet.groupPage(hang: true)

  private static func decision(_ index: Int, canDecide: Bool) -> [UInt8] {
    markup {
      $0.write(GroupDecisionForm(app: Fleet.app, group: Fleet.groupList().groups[index], canDecide: canDecide))
    }
  }

  static let groups: [Component] = [
    Component(name: "group-badges") {
      markup { html in
        html.write(GroupBadge(status: .open, isNew: true))
        html.write(GroupBadge(status: .open))
        html.write(GroupBadge(status: .regressed(release: "4.2.0")))
        html.write(GroupBadge(status: .resolved(release: "4.2.1"), isNew: true))
        html.write(GroupBadge(status: .ignored))
      }
    },
    Component(name: "group-table") {
      var list = Fleet.groupList()
      list.groups = Array(list.groups.prefix(2))
      return markup { [list] in $0.write(GroupTable(list: list, links: links)) }
    },
    Component(name: "group-facts") { markup { $0.write(GroupFacts(model: crash, context: PageContext())) } },
    Component(name: "group-releases") { markup { $0.write(GroupLives(model: crash, links: links)) } },
    Component(name: "group-decision-open") { decision(0, canDecide: true) },
    Component(name: "group-decision-resolved") { decision(2, canDecide: true) },
    Component(name: "group-decision-commands") { decision(0, canDecide: false) },
    Component(name: "group-parts") {
      markup { $0.write(GroupParts(heading: "By OS version", column: "OS version", parts: crash.systems)) }
    },
    Component(name: "threads") { markup { $0.write(ThreadSection(threads: crash.threads)) } },
    Component(name: "flame-chart") {
      guard let flame = hang.flame else { return [] }
      return markup { $0.write(FlameChart(flame: flame, focus: nil, address: { "/\($0)" })) }
    },
    Component(name: "flame-chart-focus") {
      guard let flame = hang.flame else { return [] }
      return markup { $0.write(FlameChart(flame: flame, focus: 1, address: { _ in nil })) }
    },
    Component(name: "flame-difference") {
      markup {
        $0.write(
          FlameDifferenceSection(
            flame: Fleet.flameDifference(), head: "4.2.0", base: "4.1.0", address: { $0.map { "/\($0)" } ?? "/" }))
      }
    },
    Component(name: "flame-difference-file") {
      markup {
        $0.write(
          FlameDifferenceSection(
            flame: Fleet.flameDifference(isSlower: false), head: "4.2.0", base: "4.1.0", address: { _ in nil }))
      }
    },
    Component(name: "impact") {
      markup { $0.write(CrashImpactSection(app: Fleet.app, impact: Fleet.impact(), links: links)) }
    },
  ]
}
