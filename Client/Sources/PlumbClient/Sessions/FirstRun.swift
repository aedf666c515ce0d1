import Foundation

/// The first run of a release on this installation. The server compares new releases with earlier ones at the same age
/// of the update, because an app is slower right after it.
struct FirstRun: Codable, Equatable, Sendable {
  let version: String
  let build: String
  /// Whole hours since 1970, so that the time cannot identify an installation.
  let hour: Int64
  /// Whether it is this process; not stored.
  var isCurrent = false

  private enum CodingKeys: CodingKey {
    case version, build, hour
  }

  /// The first run of this release. `file` stores it; a file of another release is replaced. Nil if the clock was never
  /// set, or if the file cannot be written, because each launch would be the first.
  static func of(_ origin: Origin, file: URL, now: Date) -> FirstRun? {
    if let data = try? Data(contentsOf: file), let known = try? JSONDecoder().decode(FirstRun.self, from: data),
      known.version == origin.version, known.build == origin.build
    {
      return known
    }
    guard now.isPlausible else { return nil }
    let new = FirstRun(
      version: origin.version, build: origin.build, hour: now.milliseconds / 3_600_000, isCurrent: true)
    guard let data = try? JSONEncoder().encode(new), (try? data.write(to: file, options: .atomic)) != nil else {
      return nil
    }
    return new
  }
}
