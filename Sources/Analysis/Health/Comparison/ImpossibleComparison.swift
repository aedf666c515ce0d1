import Core
public import Storage

/// Why two releases or groups cannot be compared.
public enum ImpossibleComparison: Error, Sendable, Equatable, CustomStringConvertible {
  case sameRelease(String)
  /// One of the releases is a build of the other.
  case overlapping(build: String, release: String)
  /// The release has no data in the environment. `known`: the newest releases with data.
  case unknownRelease(String, environment: String, known: [String])
  /// This value of an attribute has no data on these days. `known`: values with data.
  case unknownGroup(String, known: [String])
  /// The releases were never in use on the same day. `baseLife`, `headLife`: the days of each.
  case noCommonDay(base: String, baseLife: Window, head: String, headLife: Window)
  /// One name is a release, the other a value of the app's attribute.
  case releaseAndGroup(base: String, head: String)
  /// The names are values of different attributes, so some data would be on both sides.
  case differentAttributes(base: String, head: String)
  /// Some data would be on both sides.
  case overlappingGroups(base: String, head: String)
  /// There is no older release to compare the release with; nil for the newest.
  case noOlderRelease(String?)

  public var description: String {
    switch self {
    case .sameRelease(let name): "base and head are both \(name); name two different releases or values"
    case .overlapping(let build, let release):
      "\(build) is a build of \(release), so both sides would include it; name two builds or two versions"
    case .releaseAndGroup(let base, let head):
      "\(base) and \(head) are a release and a value of the app's attribute; name two releases or two values"
    case .differentAttributes(let base, let head):
      "\(base) and \(head) are values of different attributes, so both sides would include the same data; name two values "
        + "of one attribute, or one value and all others"
    case .overlappingGroups(let base, let head):
      "\(base) and \(head) overlap, so both sides would include the same data; name two values, or one value and all "
        + "others, such as region=DE and region!=DE"
    case .noOlderRelease(let name):
      "no release older than \(name ?? "the newest") has data in these 28 days; name one as base"
    case .unknownRelease(let name, let environment, let known):
      "no data for release \(name) in environment \(environment); "
        + (known.isEmpty ? "no release has data there" : "releases with data: \(known.joined(separator: ", "))")
    case .unknownGroup(let name, let known):
      "no data for \(name) on these days; "
        + (known.isEmpty ? "no value has data" : "values with data: \(known.joined(separator: ", "))")
    case .noCommonDay(let base, let baseLife, let head, let headLife):
      "no day has data of both releases; \(base) was in use from \(baseLife.from.iso) to \(baseLife.to.iso), "
        + "\(head) from \(headLife.from.iso) to \(headLife.to.iso)"
    }
  }
}
