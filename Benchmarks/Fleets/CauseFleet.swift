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

  /// The causes that the search names.
  public func play(_ random: inout SeededRandom) -> [NamedCause] {
    var (head, base) = (CellCounts(), CellCounts())
    let popularity = Self.models.map { _ in 0.2 + random.uniform() * random.uniform() * 3 }
    let versions = Self.systems.map { _ in 0.1 + random.uniform() * random.uniform() * 3 }
    let quality = (Self.models + Self.systems).map { _ in 0.6 + random.uniform() * 0.9 }
    var cells: [(member: CombinedMember, weight: Double, rate: Double)] = []
    for (index, model) in Self.models.enumerated() {
      for (place, system) in Self.systems.enumerated() {
        // Old phones run old systems.
        let age = Double(index) / Double(Self.models.count) - Double(place) / Double(Self.systems.count)
        var weight = popularity[index] * versions[place] * (age * age < 0.3 ? 1 : 0.1)
        if let decoy, decoy.device == model { weight *= decoy.system == system ? 12 : 0.3 }
        for arm in ["a", "b"] {
          let attribute = AppAttribute(name: "experiment", value: arm)
          cells.append(
            (
              CombinedMember(os: system, device: model, attributes: [attribute].compactMap { $0 }), weight,
              crashes * quality[index] * quality[Self.models.count + place]
            ))
        }
      }
    }
    enlarge(&cells)
    let all = cells.reduce(0) { $0 + $1.weight }
    for cell in cells {
      let early = 0.5 + random.uniform()
      let factor = planted.reduce(everywhere) { $0 * (Self.selects($1.names, cell.member) ? $1.factor : 1) }
      let uses = (head: sessions * early * cell.weight / all, base: sessions * baseSessions * cell.weight / all)
      let name = cell.member.text
      let events = (head: random.poisson(uses.head * cell.rate * factor), base: random.poisson(uses.base * cell.rate))
      head.add(name) { _ in EventCount(events: Double(events.head), use: uses.head) }
      base.add(name) { _ in EventCount(events: Double(events.base), use: uses.base) }
    }
    return CellCounts.causes(head: head, base: base).causes
  }

  /// Gives each planted part at least 6 % of the use.
  private func enlarge(_ cells: inout [(member: CombinedMember, weight: Double, rate: Double)]) {
    for (names, _) in planted {
      let all = cells.reduce(0) { $0 + $1.weight }
      let own = cells.reduce(0) { $0 + (Self.selects(names, $1.member) ? $1.weight : 0) }
      guard own < 0.06 * all, own > 0 else { continue }
      // All phones with the first of its names, so that the other name still matters among them.
      let wide = cells.reduce(0) { $0 + (Self.selects([names[0]], $1.member) ? $1.weight : 0) }
      let factor = 0.06 * (all - wide) / (own - 0.06 * wide)
      guard factor > 1 else { continue }
      for index in cells.indices where Self.selects([names[0]], cells[index].member) { cells[index].weight *= factor }
    }
  }

  /// Whether a part contains a cell.
  static func selects(_ names: [NamedCause.Name], _ member: CombinedMember) -> Bool {
    names.allSatisfy { name in
      switch name.dimension {
      case .os: SystemFilter(name.value).selects(member.os)
      case .device: name.value == member.device
      case .deviceClass: name.value == DeviceClass.of(model: member.device).name
      case .attribute: AttributeFilter(name.value)?.value == member.attributes.first?.value
      case .release, .combination: false
      }
    }
  }
}
