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
  private let attributes: Set<String>?

  /// Creates an empty list.
  ///
  /// - Parameters:
  ///   - hasBuilds: whether the builds of a release are counted separately.
  ///   - attributes: the names of the app's attributes: rows may have others, which the app had before. Nil for all.
  package init(hasBuilds: Bool = true, attributes: [String]? = nil) {
    self.hasBuilds = hasBuilds
    self.attributes = attributes.map(Set.init)
  }

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
    guard var member = CombinedMember(text) else { return nil }
    if let attributes { member.attributes.removeAll { !attributes.contains($0.name) } }
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
  ///   - attributes: the names of the app's attributes; nil for all.
  package static func causes(
    events: [String: Double], uses: [String: Double], effect: Double, attributes: [String]? = nil
  ) -> FoundCauses {
    let names = NamesOfUse(uses, attributes: attributes)
    let events = names.sums(events)
    let cells = names.sums(uses).sorted { $0.key.text < $1.key.text }.map { member, use in
      (cell: CauseCell(member: member), count: EventCount(events: events[member] ?? 0, use: use, effect: effect))
    }
    return ComparedCells.causes(head: cells, base: nil)
  }
}

/// The names that an app's use states. What only its reports state is left out of a comparison of the two: Sentry's
/// sessions have no device and no attributes, though its events have.
struct NamesOfUse {
  let hasSystems: Bool
  let hasDevices: Bool
  private let attributes: Set<String>

  /// The maximum share of the use without a name.
  private static let mostUnknown = 0.2

  /// `attributes`: the names of the app's attributes; nil for all.
  init(_ uses: [String: Double], attributes: [String]?) {
    var (all, withoutSystem, withoutDevice) = (0.0, 0.0, 0.0)
    var stated: Set<String> = []
    for (text, use) in uses {
      guard let member = CombinedMember(text) else { continue }
      all += use
      if member.os == UnknownName.title { withoutSystem += use }
      if member.device == UnknownName.title { withoutDevice += use }
      stated.formUnion(member.attributes.map(\.name))
    }
    hasSystems = withoutSystem <= Self.mostUnknown * all
    hasDevices = withoutDevice <= Self.mostUnknown * all
    self.attributes = attributes.map { stated.intersection($0) } ?? stated
  }

  /// The sums of counts by the names that the use states.
  fileprivate func sums(_ counts: [String: Double]) -> [CombinedMember: Double] {
    var sums: [CombinedMember: Double] = [:]
    // In a fixed order, because sums of doubles depend on it.
    for (text, count) in counts.sorted(by: { $0.key < $1.key }) {
      guard var member = CombinedMember(text) else { continue }
      if !hasSystems { member.os = UnknownName.title }
      if !hasDevices { member.device = UnknownName.title }
      member.attributes.removeAll { !attributes.contains($0.name) }
      sums[member, default: 0] += count
    }
    return sums
  }
}
