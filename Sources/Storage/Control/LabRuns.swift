public import Core

/// The store of performance-test runs. Runs are only added and expire, so that a token of a build machine cannot change
/// the runs of others.
public protocol LabRuns: Sendable {
  /// Stores a run and deletes expired ones. Returns false if the app already has a run with the same measurements and
  /// names. Throws `ControlError.full` beyond `LabLimits`.
  func keep(_ run: LabRun, of app: AppID) throws -> Bool

  /// The newest runs of a release of the main line, of a commit or its first digits, or of a branch: the first of these
  /// that has runs. At most `LabLimits.comparedRuns`, newest first.
  func labRuns(of app: AppID, named name: String) throws -> [LabRun]

  /// The runs of the main line with only the series whose counterpart is a metric of the catalogue, newest first. At
  /// most `LabLimits.shownSeries` series.
  func labRuns(of app: AppID, foretelling metric: String) throws -> [LabRun]
}

/// The limits of stored performance-test runs.
public enum LabLimits {
  /// The maximum number of series of a run.
  public static let series = 500
  /// The maximum number of measurements of a run.
  public static let measurements = 10_000
  /// The maximum number of runs of an app.
  public static let runs = 10_000
  /// The maximum number of runs that an app may import within 24 hours.
  public static let runsPerDay = 500
  /// The maximum size of an app's runs: their texts, and eight bytes for each measurement.
  public static let bytes = 64 << 20
  /// The number of days for which runs of the main line are kept, as long as rows of releases.
  public static let days = 400
  /// The number of days for which runs of a branch are kept.
  public static let branchDays = 30
  /// The fewest digits that name a commit.
  public static let commitDigits = 7
  /// The maximum number of runs on each side of a comparison.
  public static let comparedRuns = 40
  /// The maximum number of series that a page reads.
  public static let shownSeries = 20_000
}
