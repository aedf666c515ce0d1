import Core
import Statistics
import Storage

extension GroupReader {
  /// The reports by the members of a dimension, most reports first, beside their use.
  func parts(
    _ query: GroupQuery, _ dimension: Dimension, _ scope: Scope, _ combined: CombinedUse
  ) throws -> [GroupDetail.Part] {
    let counts = try store.counts(query, by: .member(of: dimension))
    let uses =
      health.readsCells(scope, by: dimension)
      ? combined.uses(by: dimension) : try health.uses(scope, by: dimension).uses
    let all = uses.values.reduce(0, +)
    let names = NamesOfUse(combined.uses, attributes: nil)
    let isKnown = dimension == .os ? names.hasSystems : names.hasDevices
    // Reports of one user are alike, so users are counted where most reports name one.
    let (total, withUser, users) = Self.totals(counts)
    let countsUsers = 2 * withUser > total
    // As many parts are looked at, each may be marked by chance less often.
    let tail = HealthReader.shownTail / Double(max(1, counts.count))
    return counts.map { count in
      let share = all > 0 && isKnown ? (uses[count.part] ?? 0) / all : nil
      let (own, whole) = countsUsers ? (count.users ?? 0, users) : (count.diagnostics, total)
      let least = Interval.ratio(
        k: Double(own), n: Double(whole), effect: .none(of: Double(whole)), tail: tail
      ).low
      return GroupDetail.Part(
        name: count.part, title: dimension == .device ? DeviceNames.marketingName(of: count.part) : nil,
        diagnostics: count.diagnostics, useShare: share,
        isMoreThanUse: share.flatMap { share in least.map { $0 > share } } ?? false)
    }.sorted { ($0.diagnostics, $1.name) > ($1.diagnostics, $0.name) }
  }

  /// The number of reports, of those with a user, and of users.
  private static func totals(_ counts: [GroupPartCount]) -> (reports: Int, withUser: Int, users: Int) {
    counts.reduce((0, 0, 0)) {
      (
        $0.0.saturatingAdd($1.diagnostics), $0.1.saturatingAdd($1.withUser ?? 0),
        $0.2.saturatingAdd($1.users ?? 0)
      )
    }
  }

  /// The parts of the use from which more reports come than from other use; nil if the use is no longer stored by cell,
  /// or if nothing is known about it.
  func causes(_ query: GroupQuery, _ scope: Scope, _ combined: CombinedUse) throws -> CauseList? {
    let (window, uses) = (combined.window, combined.uses)
    guard !uses.isEmpty else { return nil }
    var query = query
    query.window = window
    let counts = try store.counts(query, by: .member(of: .combination))
    let (_, withUser, users) = Self.totals(counts)
    let events = Dictionary(counts.map { ($0.part, Double($0.diagnostics)) }, uniquingKeysWith: +)
    let effect = users > 0 ? Double(withUser) / Double(users) : 1
    func find(_ uses: [String: Double]) -> FoundCauses {
      CauseCellCounts.causes(events: events, uses: uses, effect: effect, attributes: scope.attributes)
    }
    let names = NamesOfUse(uses, attributes: nil)
    let found = find(uses)
    var causes = found.causes
    if let update = try FirstSessionCause(query, scope, self, reports: events.values.reduce(0, +), effect: effect) {
      // A part that merely has many first sessions, such as a new release, is no cause of its own.
      let rest = find(update.expected(uses)).causes.map(\.names)
      causes = causes.filter { rest.contains($0.names) }
      let explains = update.cause.explained.value ?? 0
      causes.insert(update.cause, at: causes.firstIndex { $0.explained.value ?? 0 < explains } ?? causes.count)
    }
    return CauseList(
      metric: query.kind?.name ?? "", release: nil, base: nil, window: window, causes: causes, tested: found.tested,
      knowsDevices: names.hasDevices && names.hasSystems)
  }
}

/// The use of each combination of names in a scope, by the texts of `CombinedMember`s.
struct CombinedUse {
  /// The days on which the use was counted.
  let window: Window
  let uses: [String: Double]

  /// The use of each OS version or device.
  func uses(by dimension: Dimension) -> [String: Double] {
    uses.sorted { $0.key < $1.key }.reduce(into: [:]) { sums, part in
      guard let member = CombinedMember(part.key) else { return }
      sums[dimension == .os ? member.os : member.device, default: 0] += part.value
    }
  }
}
