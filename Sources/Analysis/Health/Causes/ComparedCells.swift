import Core
import Statistics
import Storage

/// The cells of a release beside those of its base, as a table in which causes are searched.
struct ComparedCells {
  typealias Counts = [(cell: CauseCell, count: EventCount)]

  private let names: CauseFeatures
  private let table: CauseTable
  /// The share of the head's use that is in the table.
  private let share: Double

  /// Searches causes among the combinations of all names. If each has too little use to be found on both sides, searches
  /// them without attributes, and each attribute with device classes and major OS versions only.
  ///
  /// - Parameter base: nil for a group, whose reports are compared with the use.
  static func causes(head: Counts, base: Counts?) -> FoundCauses {
    var numbering = CellNumbering()
    let raw = (
      head: head.map { (cell: numbering.number($0.cell), count: $0.count) },
      base: base.map { $0.map { (cell: numbering.number($0.cell), count: $0.count) } }
    )
    let view = CellView(numbering.names, .nothing)
    let (ours, theirs) = (view.sums(raw.head), raw.base.map(view.sums))
    let whole = ComparedCells(ours, theirs, view.names)
    guard whole.share < leastShare else { return FoundCauses(whole.search(level: falseDiscoveries)) }
    let attributes = Set(view.names.attributes.joined().map(\.name)).sorted()
    let merges: [CellView.Merge] =
      attributes.isEmpty ? [.coarse(attribute: nil)] : [.attributes] + attributes.map { .coarse(attribute: $0) }
    let level = falseDiscoveries / Double(merges.count)
    let coarser = merges.map { merge in
      let coarse = CellView(view.names, merge)
      return ComparedCells(coarse.sums(ours), theirs.map(coarse.sums), coarse.names)
    }
    return FoundCauses.joined(coarser.filter { $0.share >= leastShare }.map { $0.search(level: level) })
  }

  private static let falseDiscoveries = 0.05
  /// The minimum share of the use that must be compared, because what is left out may be a cause.
  private static let leastShare = 0.8
  /// The maximum number of cells that are searched: the most used.
  private static let most = 40_000

  /// Where the head has several builds, each is compared with a part of the base's cell that is as large as its own part
  /// of the head's.
  private init(_ ours: CellView.Counts, _ theirs: CellView.Counts?, _ all: CellNames) {
    var known: [NumberedCell: EventCount] = [:]
    var uses: [NumberedCell: Double] = [:]
    if let theirs {
      for (cell, count) in theirs { known[cell.ofAnyBuild] = count }
      for (cell, count) in ours { uses[cell.ofAnyBuild, default: 0] += count.use }
    }
    let matched = theirs == nil ? ours : ours.filter { known[$0.cell.ofAnyBuild].map { $0.use > 0 } ?? false }
    let used = Self.mostUsed(matched)
    names = CauseFeatures(used.map(\.cell), all)
    var table = CauseTable(families: names.families)
    for (cell, count) in used {
      guard theirs != nil else {
        table.add(names.indices(of: cell), head: count)
        continue
      }
      guard var other = known[cell.ofAnyBuild], let all = uses[cell.ofAnyBuild], all > 0 else { continue }
      other.events *= count.use / all
      other.use *= count.use / all
      table.add(names.indices(of: cell), head: count, base: other)
    }
    self.table = table
    let whole = ours.reduce(0) { $0 + $1.count.use }
    share = whole > 0 ? used.reduce(0) { $0 + $1.count.use } / whole : 0
  }

  private static func mostUsed(_ counts: CellView.Counts) -> CellView.Counts {
    guard counts.count > most else { return counts }
    let order = counts.indices.sorted { (counts[$1].count.use, $0) < (counts[$0].count.use, $1) }
    return order.prefix(most).sorted().map { counts[$0] }
  }

  private func search(level: Double) -> FoundCauses.Search {
    let search = CauseSearch(table, falseDiscoveries: level)
    let causes = search.causes.map { cause in
      (
        cause: NamedCause(
          names: names.names(of: cause.part), ratio: cause.ratio, useShare: cause.useShare,
          eventShare: cause.eventShare, explained: cause.explained), pValue: cause.pValue
      )
    }
    return FoundCauses.Search(causes: causes, tested: search.tested, isWorse: search.isWorse)
  }
}

extension FoundCauses {
  /// The result of one search, with the p-value of each cause.
  fileprivate struct Search {
    let causes: [(cause: NamedCause, pValue: Double)]
    let tested: Int
    let isWorse: Bool
  }

  fileprivate init(_ search: Search) {
    self.init(causes: search.causes.map(\.cause), tested: search.tested, isWorse: search.isWorse)
  }

  /// The causes of several searches, most significant first. A cause of one search may be another's cause in other names,
  /// so of two with a dimension in common only the first counts.
  fileprivate static func joined(_ searches: [Search]) -> FoundCauses {
    var causes: [NamedCause] = []
    var taken: Set<NamedCause.Dimension> = []
    for (cause, _) in searches.flatMap(\.causes).sorted(by: { $0.pValue < $1.pValue }) {
      let dimensions = Set(cause.names.map { $0.dimension == .deviceClass ? .device : $0.dimension })
      guard taken.isDisjoint(with: dimensions), causes.count < mostCauses else { continue }
      taken.formUnion(dimensions)
      causes.append(cause)
    }
    return FoundCauses(
      causes: causes, tested: searches.reduce(0) { $0 + $1.tested }, isWorse: searches.contains(where: \.isWorse))
  }

  private static let mostCauses = 3
}

/// What `CauseSearch` found, with names.
package struct FoundCauses {
  package let causes: [NamedCause]
  package let tested: Int
  package let isWorse: Bool
}
