import Core
import Statistics
import Storage

/// The cells of a release beside those of its base, as a table in which causes are searched.
struct ComparedCells {
  typealias Counts = [(cell: CauseCell, count: EventCount)]

  private let names: CauseNames
  private let table: CauseTable
  /// The share of the head's use that is in the table.
  private let share: Double

  /// Searches causes among the combinations of all names. If each has too little use to be found on both sides, searches
  /// them without attributes, and each attribute with device classes and major OS versions only.
  ///
  /// - Parameter base: nil for a group, whose reports are compared with the use.
  static func causes(head: Counts, base: Counts?) -> FoundCauses {
    let whole = ComparedCells(head, base) { $0 }
    guard whole.share < leastShare else { return FoundCauses(whole.search(level: falseDiscoveries)) }
    let attributes = Set(head.flatMap { $0.cell.member.attributes.map(\.name) }).sorted()
    let coarser =
      [ComparedCells(head, base, \.withoutAttributes)]
      + attributes.map { name in ComparedCells(head, base) { $0.coarse(name) } }
    let level = falseDiscoveries / Double(coarser.count)
    return FoundCauses.joined(coarser.filter { $0.share >= leastShare }.map { $0.search(level: level) })
  }

  private static let falseDiscoveries = 0.05
  /// The minimum share of the use that must be compared, because what is left out may be a cause.
  private static let leastShare = 0.8
  /// The maximum number of cells that are searched: the most used.
  private static let most = 20_000

  /// Adds up the cells that `map` makes equal. Where the head has several builds, each is compared with a part of the
  /// base's cell that is as large as its own part of the head's.
  private init(_ head: Counts, _ base: Counts?, _ map: (CauseCell) -> CauseCell) {
    let ours = Self.sums(head, map)
    let theirs = base.map { Self.sums($0) { map($0).ofAnyBuild } }
    var uses: [CauseCell: Double] = [:]
    for (cell, count) in ours { uses[cell.ofAnyBuild, default: 0] += count.use }
    let known = Dictionary(theirs ?? [], uniquingKeysWith: { one, _ in one })
    let matched = ours.filter { base == nil || known[$0.cell.ofAnyBuild].map { $0.use > 0 } ?? false }
    let used = Self.mostUsed(matched)
    names = CauseNames(used.map(\.cell))
    var table = CauseTable(families: names.families)
    for (cell, count) in used {
      guard base != nil else {
        table.add(names.indices(of: cell), head: count)
        continue
      }
      guard var other = known[cell.ofAnyBuild], let all = uses[cell.ofAnyBuild], all > 0 else { continue }
      other.events *= count.use / all
      other.use *= count.use / all
      table.add(names.indices(of: cell), head: count, base: other)
    }
    self.table = table
    let all = ours.reduce(0) { $0 + $1.count.use }
    share = all > 0 ? used.reduce(0) { $0 + $1.count.use } / all : 0
  }

  /// The sums of equal cells, in the order of their texts, because sums of doubles depend on the order.
  private static func sums(_ counts: Counts, _ map: (CauseCell) -> CauseCell) -> Counts {
    var sums: [CauseCell: EventCount] = [:]
    let ordered = counts.map { (text: $0.cell.text, cell: $0.cell, count: $0.count) }.sorted { $0.text < $1.text }
    for (_, cell, count) in ordered {
      sums[map(cell), default: EventCount(events: 0, use: 0)].events += count.events
      sums[map(cell), default: EventCount(events: 0, use: 0)].use += count.use
    }
    return sums.map { (text: $0.key.text, cell: $0.key, count: $0.value) }.sorted { $0.text < $1.text }
      .map { ($0.cell, $0.count) }
  }

  private static func mostUsed(_ counts: Counts) -> Counts {
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
