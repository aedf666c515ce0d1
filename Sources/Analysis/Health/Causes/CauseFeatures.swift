import Core
import Statistics
import Storage

/// The families of a `CauseTable` for the cells of an app: OS versions, devices, releases, labels, and values of each of
/// the app's attributes.
struct CauseFeatures {
  typealias Name = NamedCause.Name

  private let names: [[Name]]
  /// For each family, the field of a cell that decides its member, and the member of each number in this field.
  private let members: [(field: NumberedCell.Field, indices: [Int])]
  let families: [CauseTable.Family]

  /// `all`: the names of the cells' numbers.
  init(_ cells: [NumberedCell], _ all: CellNames) {
    var builders: [FamilyBuilder] = []
    func add<Value>(
      _ field: NumberedCell.Field, _ values: [Value], _ text: (Value) -> String,
      named: (String) -> [Name]
    ) {
      builders.append(FamilyBuilder(field, used: Self.used(cells, field), values.map(text), named))
    }
    let systems = Self.used(cells, .system).sorted().map { all.systems[$0] }
    add(.system, all.systems, { $0 }, named: Self.systems(systems))
    add(.device, all.devices, { $0 }) {
      all.hasModels ? Self.devices($0) : [Name(dimension: .deviceClass, value: $0)]
    }
    let releases = Self.used(cells, .release).sorted().map { all.releases[$0] }
    if releases.count > 1 { add(.release, all.releases, \.title, named: Self.releases(releases)) }
    if Self.used(cells, .label).count > 1 {
      add(.label, all.labels, { $0 }) { $0.isEmpty ? [] : [Name(dimension: .label, value: $0)] }
    }
    let first = builders.count
    let attributes = Self.used(cells, .attributes).flatMap { all.attributes[$0].map(\.name) }
    for attribute in Set(attributes).sorted() {
      // A phone without a value has no filter, so it is no cause.
      add(.attributes, all.attributes, { Self.text($0, attribute) }) {
        $0.isEmpty ? [] : [Name(dimension: .attribute, value: $0)]
      }
    }
    names = builders.map(\.names)
    members = builders.map { ($0.field, $0.indices) }
    // A filter has a value of one attribute, so no part has values of two.
    families = builders.enumerated().map { index, builder in
      CauseTable.Family(features: builder.features, isExclusive: index >= first)
    }
  }

  /// The index of each family's member in a cell.
  func indices(of cell: NumberedCell) -> [Int] { members.map { $0.indices[cell[$0.field]] } }

  /// The names of a part's features.
  func names(of part: CausePart) -> [Name] { part.features.map { names[$0.family][$0.index] } }

  private static func used(_ cells: [NumberedCell], _ field: NumberedCell.Field) -> Set<Int> {
    Set(cells.map { $0[field] })
  }

  /// The filter for a value of an attribute; empty without a value.
  private static func text(_ attributes: [AppAttribute], _ name: String) -> String {
    attributes.first { $0.name == name }.map { AttributeFilter(name: $0.name, value: $0.value).text } ?? ""
  }

  /// A version with all its builds, and a build if its version has several.
  private static func releases(_ all: [Release]) -> (String) -> [Name] {
    let builds = Dictionary(grouping: all, by: \.version).mapValues(\.count)
    return { title in
      let release = Release(title: title)
      guard release.isNamed else { return [] }
      let own = Name(dimension: .release, value: title)
      guard builds[release.version, default: 0] > 1 else { return [own] }
      let whole = Name(dimension: .release, value: release.versionTitle)
      return builds.count > 1 ? [own, whole] : [own]
    }
  }

  /// An exact version, its minor version and its major version, as far as they contain several versions.
  private static func systems(_ all: [String]) -> (String) -> [Name] {
    var sizes: [String: Int] = [:]
    for name in all { for prefix in SystemFilter.prefixes(of: name) { sizes[prefix, default: 0] += 1 } }
    let shared = Set(sizes.filter { $0.value > 1 }.keys)
    return { name in
      guard name != UnknownName.title else { return [] }
      return ([name] + SystemFilter.prefixes(of: name).filter(shared.contains)).map {
        Name(dimension: .os, value: $0)
      }
    }
  }

  /// A model, and its class.
  private static func devices(_ model: String) -> [Name] {
    guard model != UnknownName.title else { return [] }
    return [
      Name(dimension: .device, value: model),
      Name(dimension: .deviceClass, value: DeviceClass.of(model: model).name),
    ]
  }
}

/// Numbers the members and features of one family, in order of their names.
private struct FamilyBuilder {
  let field: NumberedCell.Field
  private(set) var names: [NamedCause.Name] = []
  /// The member of each number in the field.
  private(set) var indices: [Int]
  private(set) var features: [[Int]] = []

  /// `used`: the numbers that occur; `texts`: the text of each number, which decides its member.
  init(
    _ field: NumberedCell.Field, used: Set<Int>, _ texts: [String],
    _ named: (String) -> [NamedCause.Name]
  ) {
    self.field = field
    indices = [Int](repeating: 0, count: texts.count)
    var known: [String: Int] = [:]
    for (member, numbers) in Dictionary(grouping: used, by: { texts[$0] }).sorted(by: { $0.key < $1.key }) {
      for number in numbers { indices[number] = features.count }
      features.append(
        named(member).map { name in
          let key = "\(name.dimension.rawValue) \(name.value)"
          if let index = known[key] { return index }
          known[key] = names.count
          names.append(name)
          return names.count - 1
        })
    }
  }
}
