public import Analysis
import Core
import Statistics
import Storage
public import TestSupport

/// An invented fleet whose new release is worse in a known part of the use, or nowhere.
///
/// Phones differ: their crash rates vary by model and OS version on both releases, newer phones run newer systems, and
/// who updates first is not who updates last.
public struct CauseFleet {
  /// The sessions of the head; the base has `baseSessions` times as many.
  public var sessions = 200_000.0
  public var baseSessions = 2.0
  /// The crashes of a session on the base.
  public var crashes = 0.004
  /// The factor of all crashes of the head, everywhere.
  public var everywhere = 1.0
  /// The parts that became worse, with the factor of each.
  public var planted: [(names: [NamedCause.Name], factor: Double)] = []
  /// A model whose phones nearly all run this system: it looks like a cause, but is none.
  public var decoy: (device: String, system: String)?

  public init() {}

  static let models = (10...17).flatMap { major in (1...5).map { "iPhone\(major),\($0)" } }
  static let systems = (0...8).map { "iOS 18.\($0)" } + (0...5).map { "iOS 26.\($0)" }

  /// The builds of the head, the share of the second of which grows with the system. The base has one.
  public var builds = ["1"]
  /// The labels of the metric; one empty for none.
  public var labels = [""]

  private struct Cell {
    var member: CombinedMember
    var label: String
    var weight: Double
    var rate: Double
  }

  /// The causes that the search names for a release that is compared with its base.
  public func play(_ random: inout SeededRandom) -> [NamedCause] {
    var (head, base) = (CauseCellCounts(), CauseCellCounts(hasBuilds: false))
    let cells = cells(&random)
    let all = cells.reduce(0) { $0 + $1.weight }
    // Who updates first differs between phones, not between builds of one phone.
    var early: [String: Double] = [:]
    for cell in cells {
      let phone = cell.member.os + cell.member.device
      let own = early[phone] ?? 0.5 + random.uniform()
      early[phone] = own
      let factor = planted.reduce(everywhere) { $0 * (Self.selects($1.names, cell) ? $1.factor : 1) }
      let uses = (head: sessions * own * cell.weight / all, base: sessions * baseSessions * cell.weight / all)
      let name = cell.member.text
      let events = (head: random.poisson(uses.head * cell.rate * factor), base: random.poisson(uses.base * cell.rate))
      head.add(name, label: cell.label) { _ in EventCount(events: Double(events.head), use: uses.head) }
      base.add(name, label: cell.label) { _ in EventCount(events: Double(events.base), use: uses.base) }
    }
    return CauseCellCounts.causes(head: head, base: base).causes
  }

  /// The causes that the search names for a group of crashes, whose reports come from all use alike but for the planted
  /// parts.
  public func playGroup(_ random: inout SeededRandom) -> [NamedCause] {
    let cells = cells(&random)
    let all = cells.reduce(0) { $0 + $1.weight }
    var (events, uses): ([String: Double], [String: Double]) = ([:], [:])
    for cell in cells {
      let use = sessions * cell.weight / all
      let factor = planted.reduce(everywhere) { $0 * (Self.selects($1.names, cell) ? $1.factor : 1) }
      uses[cell.member.text, default: 0] += use
      events[cell.member.text, default: 0] += Double(random.poisson(use * crashes * factor))
    }
    return CauseCellCounts.causes(events: events, uses: uses, effect: 1).causes
  }

  private func cells(_ random: inout SeededRandom) -> [Cell] {
    let popularity = Self.models.map { _ in 0.2 + random.uniform() * random.uniform() * 3 }
    let versions = Self.systems.map { _ in 0.1 + random.uniform() * random.uniform() * 3 }
    let quality = (Self.models + Self.systems).map { _ in 0.6 + random.uniform() * 0.9 }
    let slowness = labels.map { _ in 0.6 + random.uniform() * 0.9 }
    var cells: [Cell] = []
    for (index, model) in Self.models.enumerated() {
      for (place, system) in Self.systems.enumerated() {
        // Old phones run old systems.
        let age = Double(index) / Double(Self.models.count) - Double(place) / Double(Self.systems.count)
        var weight = popularity[index] * versions[place] * (age * age < 0.3 ? 1 : 0.1)
        if let decoy, decoy.device == model { weight *= decoy.system == system ? 12 : 0.3 }
        for arm in ["a", "b"] {
          for (number, build) in builds.enumerated() {
            // New systems have the new build.
            let newer = Double(place + 1) / Double(Self.systems.count + 1)
            let share = builds.count == 1 ? 1 : number == 0 ? 1 - newer : newer / Double(builds.count - 1)
            for (label, slow) in zip(labels, slowness) {
              cells.append(
                Cell(
                  member: CombinedMember(
                    os: system, device: model, release: Release(version: "4.2.0", build: build),
                    attributes: [AppAttribute(name: "experiment", value: arm)].compactMap { $0 }),
                  label: label, weight: weight * share / Double(labels.count),
                  rate: crashes * quality[index] * quality[Self.models.count + place] * slow))
            }
          }
        }
      }
    }
    enlarge(&cells)
    return cells
  }

  /// Gives each planted part at least 6 % of the use.
  private func enlarge(_ cells: inout [Cell]) {
    for (names, _) in planted {
      let all = cells.reduce(0) { $0 + $1.weight }
      let own = cells.reduce(0) { $0 + (Self.selects(names, $1) ? $1.weight : 0) }
      guard own < 0.06 * all, own > 0 else { continue }
      // All phones with the first of its names, so that the other name still matters among them.
      let wide = cells.reduce(0) { $0 + (Self.selects([names[0]], $1) ? $1.weight : 0) }
      let factor = 0.06 * (all - wide) / (own - 0.06 * wide)
      guard factor > 1 else { continue }
      for index in cells.indices where Self.selects([names[0]], cells[index]) { cells[index].weight *= factor }
    }
  }

  /// Whether a part contains a cell.
  private static func selects(_ names: [NamedCause.Name], _ cell: Cell) -> Bool {
    let member = cell.member
    return names.allSatisfy { name in
      switch name.dimension {
      case .os: SystemFilter(name.value).selects(member.os)
      case .device: name.value == member.device
      case .deviceClass: name.value == DeviceClass.of(model: member.device).name
      case .attribute: AttributeFilter(name.value)?.value == member.attributes.first?.value
      case .release: member.release.isCalled(name.value)
      case .label: name.value == cell.label
      case .updateAge: false
      }
    }
  }
}
