import Core
import Statistics
import Storage

/// The names by which the numbers of an app are divided: those of a cell, and the label of a metric.
struct CauseCell: Hashable {
  var member: CombinedMember
  /// Empty for a metric without labels.
  var label = ""
  /// The device class, if the model is left out; nil otherwise.
  var deviceClass: String?

  /// A text that no other cell has.
  var text: String { member.text + String(CombinedMember.separator) + (deviceClass ?? "") + label }

  /// The cell without values of attributes, in an app in which each combination of all names has little use.
  var withoutAttributes: CauseCell {
    var cell = self
    cell.member.attributes = []
    return cell
  }

  /// The cell with the value of one attribute, the device class and the major OS version only.
  func coarse(_ attribute: String) -> CauseCell {
    var cell = self
    cell.deviceClass = DeviceClass.of(model: member.device).name
    cell.member.device = ""
    cell.member.os = SystemFilter.prefixes(of: member.os).last ?? member.os
    cell.member.attributes = member.attributes.filter { $0.name == attribute }
    return cell
  }

  /// The cell of the base with which a head's cell is compared: the builds of a release have no counterpart.
  var ofAnyBuild: CauseCell {
    var cell = self
    cell.member.release = Release(version: "")
    return cell
  }
}

/// The names of the cells of an app, as the families of a `CauseTable`: OS versions, devices, releases, labels, and
/// values of each of the app's attributes.
struct CauseNames {
  typealias Name = NamedCause.Name

  private let names: [[Name]]
  private let memberIndex: [[String: Int]]
  /// The text of a cell in each family.
  private let texts: [@Sendable (CauseCell) -> String]
  let families: [CauseTable.Family]

  init(_ cells: [CauseCell]) {
    var texts: [@Sendable (CauseCell) -> String] = [
      { $0.member.os }, { $0.deviceClass ?? $0.member.device },
    ]
    let hasModels = cells.allSatisfy { $0.deviceClass == nil }
    var builders = [
      FamilyBuilder(cells, texts[0], Self.systems(Set(cells.map(\.member.os)))),
      FamilyBuilder(
        cells, texts[1], hasModels ? Self.devices : { [Name(dimension: .deviceClass, value: $0)] }),
    ]
    func add(_ text: @escaping @Sendable (CauseCell) -> String, _ named: (String) -> [Name]) {
      texts.append(text)
      builders.append(FamilyBuilder(cells, text, named))
    }
    let releases = Set(cells.map(\.member.release))
    if releases.count > 1 { add({ $0.member.release.title }, Self.releases(releases)) }
    if Set(cells.map(\.label)).count > 1 {
      add({ $0.label }) { $0.isEmpty ? [] : [Name(dimension: .label, value: $0)] }
    }
    let attributes = Set(cells.flatMap { $0.member.attributes.map(\.name) }).sorted()
    let first = builders.count
    for attribute in attributes {
      // A phone without a value has no filter, so it is no cause.
      add({ Self.text($0.member, attribute) }) { $0.isEmpty ? [] : [Name(dimension: .attribute, value: $0)] }
    }
    names = builders.map(\.names)
    memberIndex = builders.map(\.memberIndex)
    self.texts = texts
    // A filter has a value of one attribute, so no part has values of two.
    families = builders.enumerated().map { index, builder in
      CauseTable.Family(features: builder.features, isExclusive: index >= first)
    }
  }

  /// The index of each family's member in a cell.
  func indices(of cell: CauseCell) -> [Int] { zip(memberIndex, texts).map { $0[$1(cell)] ?? 0 } }

  /// The names of a part's features.
  func names(of part: CausePart) -> [Name] { part.features.map { names[$0.family][$0.index] } }

  /// The filter for a cell's value of an attribute; empty without a value.
  private static func text(_ member: CombinedMember, _ attribute: String) -> String {
    member.attributes.first { $0.name == attribute }
      .map { AttributeFilter(name: $0.name, value: $0.value).text } ?? ""
  }

  /// A version with all its builds, and a build if its version has several.
  private static func releases(_ all: Set<Release>) -> (String) -> [Name] {
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
  private static func systems(_ all: Set<String>) -> @Sendable (String) -> [Name] {
    var sizes: [String: Int] = [:]
    for name in all { for prefix in SystemFilter.prefixes(of: name) { sizes[prefix, default: 0] += 1 } }
    let shared = Set(sizes.filter { $0.value > 1 }.keys)
    return { name in
      guard name != Unnamed.title else { return [] }
      return ([name] + SystemFilter.prefixes(of: name).filter(shared.contains)).map {
        Name(dimension: .os, value: $0)
      }
    }
  }

  /// A model, and its class.
  private static func devices(_ model: String) -> [Name] {
    guard model != Unnamed.title else { return [] }
    return [
      Name(dimension: .device, value: model),
      Name(dimension: .deviceClass, value: DeviceClass.of(model: model).name),
    ]
  }
}

/// Numbers the members and features of one family, in order of their names.
private struct FamilyBuilder {
  private(set) var names: [NamedCause.Name] = []
  private(set) var memberIndex: [String: Int] = [:]
  private(set) var features: [[Int]] = []

  init(_ cells: [CauseCell], _ text: (CauseCell) -> String, _ named: (String) -> [NamedCause.Name]) {
    var known: [String: Int] = [:]
    for member in Set(cells.map(text)).sorted() {
      memberIndex[member] = features.count
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
