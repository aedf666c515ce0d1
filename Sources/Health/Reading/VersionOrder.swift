import Telemetry

/// Versions in the order people mean: 4.10.0 after 4.9.2, a build after the one with the smaller number.
enum VersionOrder {
  static func precedes(_ left: Release, _ right: Release) -> Bool {
    if left.version != right.version { return precedes(left.version, right.version) }
    return precedes(left.build, right.build)
  }

  static func precedes(_ left: String, _ right: String) -> Bool {
    let ours = parts(left)
    let theirs = parts(right)
    for (mine, other) in zip(ours, theirs) where mine != other {
      switch (Int(mine), Int(other)) {
      case (let mine?, let other?): return mine < other
      // 4.2.0-beta comes before 4.2.0: words stand before numbers.
      case (nil, _?): return true
      case (_?, nil): return false
      case (nil, nil): return mine < other
      }
    }
    if ours.count == theirs.count { return left < right }
    let longer = ours.count > theirs.count ? ours : theirs
    let isPrerelease = longer[min(ours.count, theirs.count)].utf8.first.map { !(48...57).contains($0) } ?? false
    return (ours.count < theirs.count) != isPrerelease
  }

  private static func parts(_ version: String) -> [Substring] {
    version.split { $0 == "." || $0 == "-" || $0 == "+" || $0 == " " }
  }
}
