import Core
import Storage

/// Facts about a release that several rules add to their evidence.
enum ReleaseEvidence {
  /// The previous release's value, and the adoption of this release.
  static func facts(_ metric: String, _ slice: Slice, _ context: RuleContext) -> [Detail] {
    previous(metric, slice, context) + adoption(slice, context)
  }

  private static func previous(_ metric: String, _ slice: Slice, _ context: RuleContext) -> [Detail] {
    guard let (comparison, found) = context.comparison(of: metric, on: slice), found.base.n > 0 else { return [] }
    let title = found.statistic.map { " (\($0))" } ?? ""
    let value = Quantity.text(found.base.estimate, found.unit)
    let now = Quantity.text(found.head.estimate, found.unit)
    let days = "\(comparison.window.from.iso) to \(comparison.window.to.iso)"
    let base = "\(comparison.base) had \(value)\(title) and \(comparison.head) \(now) from \(days)"
    guard found.difference != nil else { return [Detail("Previous release", base)] }
    let change = "\(found.change(found.difference?.value)) (\(found.changeInterval) at 95\u{A0}%)"
    return [Detail("Previous release", "\(base); on comparable devices: \(change)")]
  }

  private static func adoption(_ slice: Slice, _ context: RuleContext) -> [Detail] {
    guard let release = slice.release, let known = context.input.releases.first(where: { $0.title == release }),
      let share = known.adoption
    else { return [] }
    return [
      Detail("Adoption", "\(Quantity.share(share)), first seen \(known.firstSeen.iso)")
    ]
  }
}
