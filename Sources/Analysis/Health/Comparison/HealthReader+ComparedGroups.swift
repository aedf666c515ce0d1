import Core
import Storage

extension HealthReader {
  /// The groups that two names stand for, `experiment=control` and `experiment=new-cart`; nil if both are releases.
  ///
  /// Data without a value of the attribute belong to no group, so that groups are compared by what is known of them.
  func comparedGroups(
    base: String, head: String, _ app: App, _ query: ReportQuery, _ scope: Scope
  ) throws -> ComparedGroups? {
    let found = (try group(base, app, scope), try group(head, app, scope))
    guard let one = found.0, let other = found.1 else {
      if found.0 == nil, found.1 == nil { return nil }
      throw ImpossibleComparison.releaseAndGroup(base: base, head: head)
    }
    guard query.attribute == nil else {
      throw InvalidQuery(
        detail: "\(ReportQuery.attributeName): base and head name values of \(one.name) already",
        parameter: ReportQuery.attributeName, isReadable: true)
    }
    // A value is in all groups that leave out another one.
    guard one.isExcluding != other.isExcluding ? one.value == other.value : !one.isExcluding else {
      throw ImpossibleComparison.overlappingGroups(base: base, head: head)
    }
    guard one != other else { throw ImpossibleComparison.sameRelease(base) }
    return ComparedGroups(base: one, head: other)
  }

  /// The values of the attribute with data in the window, those with the most payloads first.
  func values(of attribute: String, _ scope: Scope) throws -> [String] {
    let whole = scope.with(slice: Slice(environment: scope.slice.environment))
    var counts: [String: Int] = [:]
    for row in try rows(whole, metrics: ["payloads", "sessions"], dimension: .attribute) {
      counts[row.member, default: 0] += 1
    }
    return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(5).map {
      AttributeFilter(name: attribute, value: $0.key).text
    }
  }

  /// The group that a name stands for; nil for a release. A name that could be both is a release if data of one arrived.
  private func group(_ name: String, _ app: App, _ scope: Scope) throws -> AttributeFilter? {
    guard let filter = AttributeFilter(name),
      !scope.inventory.releases.contains(where: { $0.release.isCalled(name) })
    else { return nil }
    try check(filter, of: app)
    return filter
  }
}
