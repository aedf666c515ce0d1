internal import Core

/// Counts what one request allocates, against `DecodingLimits`. All its documents, items and records share one quota,
/// because an element of two or three bytes may take a hundred in memory.
final class DecodingQuota {
  /// The kinds of elements of a request that are counted, each with its limit.
  enum Part: Int, CaseIterable {
    case sessions
    case diagnostics
    case frames
    case threads
    case binaries
    case measurements
    case series
    case values

    var most: Int {
      switch self {
      case .sessions: DecodingLimits.sessions
      case .diagnostics: DecodingLimits.diagnostics
      case .frames: DecodingLimits.frames
      case .threads: DecodingLimits.threads
      case .binaries: DecodingLimits.binaries
      case .measurements: DecodingLimits.measurements
      case .series: DecodingLimits.series
      case .values: DecodingLimits.values
      }
    }

    var name: String {
      switch self {
      case .sessions: "sessions"
      case .diagnostics: "diagnostics"
      case .frames: "frames"
      case .threads: "threads"
      case .binaries: "binaries in addition to the frames"
      case .measurements: "measurements"
      case .series: "measurements with custom metrics or labels"
      case .values: "samples and buckets"
      }
    }
  }

  private var counts = (
    sessions: 0, diagnostics: 0, frames: 0, threads: 0, binaries: 0, measurements: 0, series: 0, values: 0
  )

  /// The number of elements that may still be added.
  func free(_ part: Part) -> Int {
    switch part {
    case .sessions: part.most - counts.sessions
    case .diagnostics: part.most - counts.diagnostics
    case .frames: part.most - counts.frames
    case .threads: part.most - counts.threads
    case .binaries: part.most - counts.binaries
    case .measurements: part.most - counts.measurements
    case .series: part.most - counts.series
    case .values: part.most - counts.values
    }
  }

  /// Counts elements. Returns false and counts nothing if the quota would be exceeded. `count` must not be negative.
  func take(_ part: Part, _ count: Int = 1) -> Bool {
    guard count <= free(part) else { return false }
    switch part {
    case .sessions: counts.sessions += count
    case .diagnostics: counts.diagnostics += count
    case .frames: counts.frames += count
    case .threads: counts.threads += count
    case .binaries: counts.binaries += count
    case .measurements: counts.measurements += count
    case .series: counts.series += count
    case .values: counts.values += count
    }
    return true
  }

  /// Counts elements. Throws an error at `value` if the quota would be exceeded.
  func add(_ part: Part, _ count: Int = 1, at value: JSONValue) throws(JSONError) {
    guard take(part, count) else { throw Self.tooMany(part, at: value) }
  }

  static func tooMany(_ part: Part, at value: JSONValue) -> JSONError { value.failure(tooMany(part)) }

  /// The message of the error: `a request may have at most 20000 sessions; split it`.
  static func tooMany(_ part: Part) -> String {
    "a request may have at most \(part.most) \(part.name); split it"
  }
}
