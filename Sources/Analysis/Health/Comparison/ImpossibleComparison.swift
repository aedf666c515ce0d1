import Core
public import Storage

/// Why two releases or groups cannot be compared.
public enum ImpossibleComparison: Error, Sendable, Equatable, CustomStringConvertible {
  case sameRelease(String)
  /// One of the releases is a build of the other.
  case overlapping(build: String, release: String)
  /// No data of this release were received in the environment. `known`: the newest releases with data.
  case unknownRelease(String, environment: String, known: [String])
  /// No data of this value of the app's attribute were received in these days. `known`: values with data.
  case unknownGroup(String, known: [String])
  /// The releases were never in use on the same day. `baseLife`, `headLife`: the days of each.
  case noCommonDay(base: String, baseLife: Window, head: String, headLife: Window)
  /// One name is a release, the other a value of the app's attribute.
  case releaseAndGroup(base: String, head: String)
  /// Some data would be on both sides.
  case overlappingGroups(base: String, head: String)

  public var description: String {
    switch self {
    case .sameRelease(let name): "\(name) would be compared with itself: name two different ones"
    case .overlapping(let build, let release):
      "\(build) is a build of \(release), so its numbers would stand on both sides: name two builds or two versions"
    case .releaseAndGroup(let base, let head):
      "\(base) and \(head) are a release and a value of the app's attribute: name two releases or two values"
    case .overlappingGroups(let base, let head):
      "\(base) and \(head) have values in common, whose numbers would stand on both sides: name two values, or one and "
        + "all others, such as region=DE and region!=DE"
    case .unknownRelease(let name, let environment, let known):
      "nothing was received of release \(name) in environment \(environment); "
        + (known.isEmpty ? "no release is known there" : "known are \(known.joined(separator: ", "))")
    case .unknownGroup(let name, let known):
      "nothing was received of \(name) in these days; "
        + (known.isEmpty ? "no value is known" : "known are \(known.joined(separator: ", "))")
    case .noCommonDay(let base, let baseLife, let head, let headLife):
      "no day has data of both releases: \(base) was in use from \(baseLife.from.iso) to \(baseLife.to.iso), "
        + "\(head) from \(headLife.from.iso) to \(headLife.to.iso)"
    }
  }
}
