import Core
import Statistics
import Storage

/// The names of the cells of an app, as the families of a `CauseTable`: OS versions, devices, and values of each of the
/// app's attributes.
struct CauseNames {
  typealias Name = NamedCause.Name

  private let names: [[Name]]
  private let memberIndex: [[String: Int]]
  /// The attributes whose values are the last families.
  private let attributes: [String]
  let families: [CauseTable.Family]

  init(_ members: [CombinedMember]) {
    var builders = [
      FamilyBuilder(Set(members.map(\.os)), Self.systems(Set(members.map(\.os)))),
      FamilyBuilder(Set(members.map(\.device)), Self.devices(Set(members.map(\.device)))),
    ]
    attributes = Set(members.flatMap { $0.attributes.map(\.name) }).sorted()
    for attribute in attributes {
      // A phone without a value has no filter, so it is no cause.
      builders.append(
        FamilyBuilder(Set(members.map { Self.text($0, attribute) })) {
          $0.isEmpty ? [] : [Name(dimension: .attribute, value: $0)]
        })
    }
    names = builders.map(\.names)
    memberIndex = builders.map(\.memberIndex)
    // A filter has a value of one attribute, so no part has values of two.
    families = builders.enumerated().map { index, builder in
      CauseTable.Family(features: builder.features, isExclusive: index >= 2)
    }
  }

  /// The index of each family's member in a cell.
  func indices(of member: CombinedMember) -> [Int] {
    let names = [member.os, member.device] + attributes.map { Self.text(member, $0) }
    return zip(memberIndex, names).map { $0[$1] ?? 0 }
  }

  /// The names of a part's features.
  func names(of part: CausePart) -> [Name] { part.features.map { names[$0.family][$0.index] } }

  /// The filter for a cell's value of an attribute; empty without a value.
  private static func text(_ member: CombinedMember, _ attribute: String) -> String {
    member.attributes.first { $0.name == attribute }
      .map { AttributeFilter(name: $0.name, value: $0.value).text } ?? ""
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
  private static func devices(_ all: Set<String>) -> @Sendable (String) -> [Name] {
    { model in
      guard model != Unnamed.title else { return [] }
      return [
        Name(dimension: .device, value: model),
        Name(dimension: .deviceClass, value: DeviceClass.of(model: model).name),
      ]
    }
  }
}

/// Numbers the members and features of one family, in order of their names.
private struct FamilyBuilder {
  private(set) var names: [NamedCause.Name] = []
  private(set) var memberIndex: [String: Int] = [:]
  private(set) var features: [[Int]] = []

  init(_ members: Set<String>, _ named: (String) -> [NamedCause.Name]) {
    var known: [String: Int] = [:]
    for member in members.sorted() {
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
