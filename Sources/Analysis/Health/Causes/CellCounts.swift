import Core
package import Statistics
import Storage

/// What `CauseSearch` found, with names.
package struct FoundCauses {
  package let causes: [NamedCause]
  package let tested: Int
  package let isWorse: Bool
}

/// The bad events and the use of each combination of OS version, device model, build, label and attributes, on one side
/// of a comparison.
package struct CellCounts {
  private struct Cell {
    let deviceClass: String
    /// For a percentile, the value above which values of the device class count as bad.
    let threshold: Double?
    var count: EventCount
  }

  private var cells: [Cell] = []
  private var names: [CauseCell] = []
  private var indexByName: [CauseCell: Int] = [:]
  /// The last added member and label, and the index of their cell.
  private var latest: (member: String, label: String, index: Int)?
  private let hasBuilds: Bool

  /// Creates an empty list. `hasBuilds`: whether the builds of a release are counted separately.
  package init(hasBuilds: Bool = true) { self.hasBuilds = hasBuilds }

  /// The sum of all use.
  var use: Double { cells.reduce(0) { $0 + $1.count.use } }

  /// Adds the events of a cell.
  ///
  /// - Parameters:
  ///   - member: the text of a `CombinedMember`.
  ///   - label: the label of the metric; empty without one.
  ///   - threshold: for a percentile, the value above which values of a device class count as bad.
  ///   - count: the events, given the threshold.
  package mutating func add(
    _ member: String, label: String = "", threshold: (String) -> Double? = { _ in nil },
    _ count: (Double?) -> EventCount?
  ) {
    guard let index = index(of: member, label, threshold), let count = count(cells[index].threshold) else { return }
    cells[index].count.events += count.events
    cells[index].count.use += count.use
  }

  private mutating func index(of text: String, _ label: String, _ threshold: (String) -> Double?) -> Int? {
    // Rows are ordered by cell.
    if let latest, latest.member == text, latest.label == label { return latest.index }
    guard let member = CombinedMember(text) else { return nil }
    let cell = CauseCell(member: member, label: label)
    let name = hasBuilds ? cell : cell.ofAnyBuild
    let index = indexByName[name] ?? names.count
    if index == names.count {
      indexByName[name] = index
      names.append(name)
      let deviceClass = DeviceClass.of(model: member.device).name
      cells.append(
        Cell(deviceClass: deviceClass, threshold: threshold(deviceClass), count: EventCount(events: 0, use: 0)))
    }
    latest = (text, label, index)
    return index
  }

  /// Divides the counts by the design effects of their device classes.
  mutating func divide(_ effect: (String) -> Double) {
    var known: [String: Double] = [:]
    for index in cells.indices {
      let name = cells[index].deviceClass
      let effect = known[name] ?? effect(name)
      known[name] = effect
      let count = cells[index].count
      cells[index].count = EventCount(events: count.events, use: count.use, effect: effect)
    }
  }

  /// The parts in which the head has more events than the base, by more than elsewhere; and the number of parts that
  /// could be judged.
  package static func causes(head: CellCounts, base: CellCounts) -> FoundCauses {
    let (names, table) = table(head: head, base: base)
    return named(CauseSearch(table), names)
  }

  /// The parts from which more events come than from other use.
  ///
  /// - Parameters:
  ///   - events: the number of events of each cell, by the texts of `CombinedMember`s.
  ///   - uses: the use of each cell. Cells without use are left out.
  package static func causes(events: [String: Double], uses: [String: Double], effect: Double) -> FoundCauses {
    let cells = uses.compactMap { text, use in
      CombinedMember(text).map { (text: text, cell: CauseCell(member: $0), use: use) }
    }
    let members = mostUsed(cells.map { ($0.text, $0.cell, $0.use) })
    let names = CauseNames(members.map(\.cell))
    var table = CauseTable(families: names.families)
    for (text, cell, use) in members {
      table.add(
        names.indices(of: cell), head: EventCount(events: events[text] ?? 0, use: use, effect: effect))
    }
    return named(CauseSearch(table), names)
  }

  private static func named(_ search: CauseSearch, _ names: CauseNames) -> FoundCauses {
    let causes = search.causes.map { cause in
      NamedCause(
        names: names.names(of: cause.part), ratio: cause.ratio, useShare: cause.useShare,
        eventShare: cause.eventShare, explained: cause.explained)
    }
    return FoundCauses(causes: causes, tested: search.tested, isWorse: search.isWorse)
  }

  /// The table of all cells that both sides have. Where the head has several builds, each is compared with a part of the
  /// base's cell that is as large as its own part of the head's.
  private static func table(head: CellCounts, base: CellCounts) -> (names: CauseNames, table: CauseTable) {
    let members = mostUsed(head.names.indices.map { (head.names[$0].text, head.names[$0], head.cells[$0].count.use) })
    let names = CauseNames(members.map(\.cell))
    var table = CauseTable(families: names.families)
    var uses: [CauseCell: Double] = [:]
    for (_, cell, use) in members { uses[cell.ofAnyBuild, default: 0] += use }
    for (_, cell, use) in members {
      guard let own = head.indexByName[cell], let other = base.indexByName[cell.ofAnyBuild],
        let all = uses[cell.ofAnyBuild], all > 0
      else { continue }
      var count = base.cells[other].count
      count.events *= use / all
      count.use *= use / all
      table.add(names.indices(of: cell), head: head.cells[own].count, base: count)
    }
    return (names, table)
  }

  /// The most used cells, by name, because sums of doubles depend on the order. Further ones are left out of the search,
  /// so that its time is bounded.
  private static func mostUsed(
    _ cells: [(text: String, cell: CauseCell, use: Double)]
  ) -> [(text: String, cell: CauseCell, use: Double)] {
    guard cells.count > most else { return cells.sorted { $0.text < $1.text } }
    return cells.sorted { ($1.use, $0.text) < ($0.use, $1.text) }.prefix(most).sorted { $0.text < $1.text }
  }

  /// The maximum number of cells that are searched.
  private static let most = 20_000
}
