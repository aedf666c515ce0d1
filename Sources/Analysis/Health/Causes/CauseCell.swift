import Core
import Statistics
import Storage

/// The names by which the numbers of an app are divided: those of a cell, and the label of a metric.
struct CauseCell: Hashable {
  var member: CombinedMember
  /// Empty for a metric without labels.
  var label = ""

  /// The cell of the base with which a head's cell is compared: the builds of a release have no counterpart.
  var ofAnyBuild: CauseCell {
    var cell = self
    cell.member.release = Release(version: "")
    return cell
  }
}

/// A cell as the numbers of its names in `CellNames`. An app may have tens of thousands of cells, but each name is one of
/// some dozens, so cells are compared and added up as numbers.
struct NumberedCell: Hashable, Comparable {
  var system: Int
  var device: Int
  var release: Int
  var label: Int
  var attributes: Int

  enum Field { case system, device, release, label, attributes }

  subscript(field: Field) -> Int {
    switch field {
    case .system: system
    case .device: device
    case .release: release
    case .label: label
    case .attributes: attributes
    }
  }

  /// The key under which cells of head and base are compared.
  var ofAnyBuild: NumberedCell {
    var cell = self
    cell.release = -1
    return cell
  }

  static func < (left: NumberedCell, right: NumberedCell) -> Bool {
    (left.system, left.device, left.release, left.label, left.attributes)
      < (right.system, right.device, right.release, right.label, right.attributes)
  }
}

/// The names of numbered cells.
struct CellNames {
  fileprivate(set) var systems: [String] = []
  /// Models, or device classes unless `hasModels`.
  fileprivate(set) var devices: [String] = []
  fileprivate(set) var hasModels = true
  fileprivate(set) var releases: [Release] = []
  fileprivate(set) var labels: [String] = []
  fileprivate(set) var attributes: [[AppAttribute]] = []
}

/// Gives numbers to the names of cells, in the order in which they come.
struct CellNumbering {
  private(set) var names = CellNames()
  private var systems: [String: Int] = [:]
  private var devices: [String: Int] = [:]
  private var releases: [Release: Int] = [:]
  private var labels: [String: Int] = [:]
  private var attributes: [[AppAttribute]: Int] = [:]

  mutating func number(_ cell: CauseCell) -> NumberedCell {
    NumberedCell(
      system: Self.number(cell.member.os, &systems, &names.systems),
      device: Self.number(cell.member.device, &devices, &names.devices),
      release: Self.number(cell.member.release, &releases, &names.releases),
      label: Self.number(cell.label, &labels, &names.labels),
      attributes: Self.number(cell.member.attributes, &attributes, &names.attributes))
  }

  private static func number<Name: Hashable>(_ name: Name, _ known: inout [Name: Int], _ names: inout [Name]) -> Int {
    if let number = known[name] { return number }
    known[name] = names.count
    names.append(name)
    return names.count - 1
  }
}

/// Cells with merged names, whose numbers are in the order of their texts.
struct CellView {
  enum Merge {
    /// None: names are only ordered.
    case nothing
    /// Cells that differ in values of attributes, for an app in which each combination of all names has little use.
    case attributes
    /// Models to device classes, OS versions to major ones, and all but one attribute; nil for all.
    case coarse(attribute: String?)
  }

  typealias Counts = [(cell: NumberedCell, count: EventCount)]

  private(set) var names = CellNames()
  /// The new number of each old one.
  private let system, device, release, label, attributes: [Int]

  init(_ old: CellNames, _ merge: Merge) {
    func keep(_ attribute: AppAttribute) -> Bool {
      switch merge {
      case .nothing: true
      case .attributes: false
      case .coarse(let name): attribute.name == name
      }
    }
    let isCoarse = if case .coarse = merge { true } else { false }
    names.hasModels = old.hasModels && !isCoarse
    (names.systems, system) = Self.merged(old.systems, { $0 }) { name in
      isCoarse ? SystemFilter.prefixes(of: name).last ?? name : name
    }
    (names.devices, device) = Self.merged(old.devices, { $0 }) { isCoarse ? DeviceClass.of(model: $0).name : $0 }
    (names.releases, release) = Self.merged(old.releases, \.title) { $0 }
    (names.labels, label) = Self.merged(old.labels, { $0 }) { $0 }
    (names.attributes, attributes) = Self.merged(
      old.attributes, { $0.map { "\($0.name)=\($0.value)" }.joined(separator: String(CombinedMember.separator)) }
    ) { $0.filter(keep) }
  }

  /// The distinct results of merging names, in the order of their texts, and the number of each name's result.
  private static func merged<Name, Result: Hashable>(
    _ names: [Name], _ text: (Result) -> String, _ merge: (Name) -> Result
  ) -> ([Result], [Int]) {
    let results = names.map(merge)
    let ordered = Set(results).map { (text: text($0), result: $0) }.sorted { $0.text < $1.text }.map(\.result)
    let numbers = Dictionary(uniqueKeysWithValues: zip(ordered, 0...))
    return (ordered, results.map { numbers[$0] ?? 0 })
  }

  /// The sums of cells that become equal, in order. Cells are added up in the order given, because sums of doubles depend
  /// on it.
  func sums(_ counts: Counts) -> Counts {
    var sums: Counts = []
    var known: [NumberedCell: Int] = [:]
    sums.reserveCapacity(counts.count)
    known.reserveCapacity(counts.count)
    for (old, count) in counts {
      let cell = NumberedCell(
        system: system[old.system], device: device[old.device], release: release[old.release],
        label: label[old.label], attributes: attributes[old.attributes])
      if let index = known[cell] {
        sums[index].count.events += count.events
        sums[index].count.use += count.use
      } else {
        known[cell] = sums.count
        sums.append((cell, count))
      }
    }
    return sums.sorted { $0.cell < $1.cell }
  }
}
