import Core
package import Statistics
import Storage

/// What `CauseSearch` found, with names.
package struct FoundCauses {
  package let causes: [NamedCause]
  package let tested: Int
  package let isWorse: Bool
}

/// The bad events and the use of each combination of OS version, device model and attribute, on one side of a
/// comparison.
package struct CellCounts {
  private struct Cell {
    let deviceClass: String
    /// For a percentile, the value above which values of the device class count as bad.
    let threshold: Double?
    var count: EventCount
  }

  private var cells: [Cell] = []
  private var names: [String] = []
  private var indexByName: [String: Int] = [:]
  private var latest = 0

  package init() {}

  /// Adds the events of a cell.
  ///
  /// - Parameters:
  ///   - member: the text of a `CombinedMember`.
  ///   - threshold: for a percentile, the value above which values of a device class count as bad.
  ///   - count: the events, given the threshold.
  package mutating func add(
    _ member: String, threshold: (String) -> Double? = { _ in nil }, _ count: (Double?) -> EventCount?
  ) {
    // Rows are ordered by cell.
    if !(latest < names.count && names[latest] == member) {
      if let known = indexByName[member] {
        latest = known
      } else {
        latest = names.count
        indexByName[member] = latest
        names.append(member)
        let name = DeviceClass.of(model: CombinedMember(member)?.device ?? "").name
        cells.append(Cell(deviceClass: name, threshold: threshold(name), count: EventCount(events: 0, use: 0)))
      }
    }
    guard let count = count(cells[latest].threshold) else { return }
    cells[latest].count.events += count.events
    cells[latest].count.use += count.use
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

  /// The parts from which more events come than from other use. `uses`: the use of each cell.
  static func causes(
    events: [String: Double], uses: [String: Double], effect: Double
  ) -> FoundCauses {
    let members = mostUsed(Array(uses.keys)) { uses[$0] ?? 0 }
    let names = CauseNames(members.map(\.1))
    var table = CauseTable(families: names.families)
    for (name, member) in members {
      table.add(
        names.indices(of: member),
        head: EventCount(events: events[name] ?? 0, use: uses[name] ?? 0, effect: effect))
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

  /// The table of all cells that both sides have.
  private static func table(head: CellCounts, base: CellCounts) -> (names: CauseNames, table: CauseTable) {
    let members = mostUsed(head.names) { name in head.indexByName[name].map { head.cells[$0].count.use } ?? 0 }
    let names = CauseNames(members.map(\.1))
    var table = CauseTable(families: names.families)
    for (name, member) in members {
      guard let own = head.indexByName[name], let other = base.indexByName[name] else { continue }
      table.add(names.indices(of: member), head: head.cells[own].count, base: base.cells[other].count)
    }
    return (names, table)
  }

  /// The most used cells, by name, because sums of doubles depend on the order. Further ones are left out of the search,
  /// so that its time is bounded.
  private static func mostUsed(
    _ names: [String], use: (String) -> Double
  ) -> [(name: String, member: CombinedMember)] {
    var names = names
    if names.count > most {
      let uses = Dictionary(names.map { ($0, use($0)) }, uniquingKeysWith: { one, _ in one })
      names = Array(names.sorted { (uses[$1] ?? 0, $0) < (uses[$0] ?? 0, $1) }.prefix(most))
    }
    return names.sorted().compactMap { name in CombinedMember(name).map { (name, $0) } }
  }

  /// The maximum number of cells that are searched.
  private static let most = 20_000
}
