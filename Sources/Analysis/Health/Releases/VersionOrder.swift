package import Core

/// The order of version numbers: 4.10.0 follows 4.9.2, and builds are ordered by number.
package enum VersionOrder {
  package static func precedes(_ left: Release, _ right: Release) -> Bool {
    left.version == right.version ? isBefore(left.build, right.build) : isBefore(left.version, right.version)
  }

  /// Whether `left` is before `right`. Either may be a title with a build, such as `4.10.0 (12)`.
  package static func precedes(_ left: String, _ right: String) -> Bool {
    precedes(Release(title: left), Release(title: right))
  }

  private static func isBefore(_ left: String, _ right: String) -> Bool {
    let ours = parts(left)
    let theirs = parts(right)
    for (mine, other) in zip(ours, theirs) where mine != other {
      switch (number(mine), number(other)) {
      case (let mine?, let other?):
        // 07 equals 7: the next part decides.
        if mine == other { continue }
        return mine.count == other.count ? mine < other : mine.count < other.count
      // 4.2.0-beta comes before 4.2.0: words come before numbers.
      case (nil, _?): return true
      case (_?, nil): return false
      case (nil, nil): return mine < other
      }
    }
    // 4.2 equals 4.2.0, because trailing zeros do not count. 4.2.0-beta comes before both.
    let isLonger = ours.count > theirs.count
    let rest = (isLonger ? ours : theirs).dropFirst(min(ours.count, theirs.count)).drop { number($0)?.isEmpty ?? false }
    guard let next = rest.first else { return left < right }
    let isPrerelease = number(next) == nil
    return isLonger == isPrerelease
  }

  /// A numeric part of a version without leading zeros, of any length; nil for a word such as `beta`.
  private static func number(_ part: Substring) -> Substring? {
    guard part.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return part.drop { $0 == "0" }
  }

  /// The version without a leading `v`: 4.3 for `v4.3`.
  private static func named(_ version: String) -> Substring {
    let rest = version.dropFirst()
    let isMarked = version.first == "v" || version.first == "V"
    return isMarked && (rest.utf8.first.map { (48...57).contains($0) } ?? false) ? rest : version[...]
  }

  private static func parts(_ version: String) -> [Substring] {
    named(version).split { $0 == "." || $0 == "-" || $0 == "+" || $0 == " " }
  }
}
