import Core
package import Statistics
import Storage

/// The bad events and the use of each combination of OS version, device model, build, label and attributes, on one side
/// of a comparison.
package struct CauseCellCounts {
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

  private var counts: [(cell: CauseCell, count: EventCount)] { zip(names, cells.map(\.count)).map { ($0, $1) } }

  /// The parts in which the head has more events than the base, by more than elsewhere; and the number of parts that
  /// could be judged.
  package static func causes(head: CauseCellCounts, base: CauseCellCounts) -> FoundCauses {
    ComparedCells.causes(head: head.counts, base: base.counts)
  }

  /// The parts from which more events come than from other use.
  ///
  /// - Parameters:
  ///   - events: the number of events of each cell, by the texts of `CombinedMember`s.
  ///   - uses: the use of each cell. Cells without use are left out.
  package static func causes(events: [String: Double], uses: [String: Double], effect: Double) -> FoundCauses {
    let cells = uses.compactMap { text, use in
      CombinedMember(text).map { member in
        (cell: CauseCell(member: member), count: EventCount(events: events[text] ?? 0, use: use, effect: effect))
      }
    }
    return ComparedCells.causes(head: cells, base: nil)
  }
}
