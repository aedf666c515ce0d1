import Core

/// One-line advice on what to check first if a metric's budget is broken.
enum MetricAdvice {
  /// The advice for a metric; nil if the metric is not in the catalogue.
  static func line(for metric: String) -> String? {
    guard let known = Catalogue.metric(named: metric) else { return nil }
    return known.guide.flatMap { lines[$0] } ?? known.advice
  }

  private static let lines = [
    "crash-free":
      "List this release's crashes: two or three causes usually explain most of them. Check force unwraps, indices out "
      + "of range and exits by reason first.",
    "launch":
      "Profile a cold launch of a release build on the oldest phone. Look for work in the app's initialiser, "
      + "frameworks, and disk or network access before the first frame.",
    "screen-load":
      "Open the slowest label. Look for sequential requests, too many fields, and decoding on the main thread.",
    "tap-to-response": "Time the main thread after the tap. Move reading of files, JSON or images into a task.",
    "hangs":
      "Rank the hangs by time lost and open the longest. Look for files, network and locks on the main thread first.",
    "scrolling":
      "Profile the busiest list. Look for rows that are not lazy, variable heights, shadows, masks and gradients.",
    "swiftui":
      "Count body updates. Look for views that observe a whole object, formatters created in a body, and unstable "
      + "identity.",
    "images": "Check decoding: downsample to the displayed size, off the main thread, with a bounded cache.",
    "memory":
      "Compare generations of allocations. Look for retain cycles (closures, delegates, timers) and unbounded caches.",
    "network":
      "Open the slowest hosts. Look for repeated calls, missing cache headers or compression, and unused fields.",
    "energy":
      "Look for polling, unbatched work and location that is more precise than needed. Start in the background.",
    "disk-writes": "Look for chatty logs, files rewritten in full, and database writes outside a transaction.",
  ]
}
