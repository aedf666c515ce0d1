import Core
import Storage

/// Advice in one line: what to check first when a metric's budget is broken.
enum Advice {
  /// The advice for a metric; nil if the catalogue does not have the metric.
  static func line(for metric: String) -> String? {
    guard let known = Catalogue.metric(named: metric) else { return nil }
    return known.guide.flatMap { lines[$0] } ?? known.advice
  }

  private static let lines = [
    "crash-free":
      "List this release's crashes: two or three causes explain most of a loss. Look at force unwraps, indices out of "
      + "range and exits by reason first.",
    "launch":
      "Profile a cold launch of a release build on the oldest phone: work in the app's initialiser, frameworks, and "
      + "disk or network before the first frame.",
    "screen-load":
      "Open the slowest label: requests that wait for each other, too many fields, decoding on the main thread.",
    "tap-to-response": "Time the main thread after the tap: files, JSON or images read there belong in a task.",
    "hangs":
      "Rank the hangs by time lost and open the longest: files, network or locks on the main thread come first.",
    "scrolling":
      "Record the busiest list: rows that are not lazy, heights that are not fixed, shadows, masks and gradients.",
    "swiftui": "Count body updates: views that observe a whole object, formatters made in a body, unstable identity.",
    "images": "Look at decoding: downsample to the size that is shown, off the main thread, with a bounded cache.",
    "memory": "Compare generations of allocations: cycles through closures, delegates and timers, unbounded caches.",
    "network": "Open the slowest hosts: calls made twice, missing cache headers, no compression, fields nobody shows.",
    "energy": "Look for polling, unbatched work and location finer than needed, in the background first.",
    "disk-writes": "Look for chatty logs, files written anew as a whole, and database writes outside a transaction.",
  ]
}

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
    return [Detail("Previous release", "\(base); like devices: \(change)")]
  }

  private static func adoption(_ slice: Slice, _ context: RuleContext) -> [Detail] {
    guard let release = slice.release, let known = context.input.releases.first(where: { $0.title == release }),
      let share = known.adoption
    else { return [] }
    return [
      Detail("In use", "\(Quantity.share(share)) of the last day's sessions, since \(known.firstSeen.iso)")
    ]
  }
}
