/// The secondary tables of responses. Each contains the data of one chart or table of the page.
public enum AnswerTableName: String, CaseIterable, Sendable {
  /// The buckets of a distribution.
  case distribution
  /// One row for each release, device class, OS version, model and label.
  case parts
  /// The trends of the parts: one row per part and point.
  case courses
  /// The overall trend: one row per point.
  case trend
  /// Where metrics became worse, or from where reports come: one row per cause.
  case causes
  /// Changes between releases in the lab and in the field: one row per pair of releases.
  case lab
}
