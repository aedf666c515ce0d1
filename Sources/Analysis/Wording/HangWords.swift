import Core

/// Sentences about the classes of hangs.
package enum HangWords {
  /// The class of most of a group's hangs, with its most frequent rule: `Own code: The app's function sleeps.`
  package static func sentence(_ hangs: HangCounts) -> String {
    "\(hangs.hangClass.title): \(hangs.rule?.sentence ?? "Older versions stored these reports without a class.")"
  }

  /// The number of reports of each class that occurs: `own code 12, asleep 3`.
  package static func counts(_ hangs: HangCounts) -> String {
    [HangClass.ownCode, .system, .asleep, .unknown].filter { hangs.count($0) > 0 }.map {
      "\($0.title.lowercased()) \(Decimal.grouped(hangs.count($0)))"
    }.joined(separator: ", ")
  }
}
