/// The first run of a release on an installation, as the client of a document states it. It says how old the update was
/// at each of the document's measurements.
public struct FirstRun: Sendable, Hashable {
  /// When the installation first ran the release.
  public var time: Timestamp
  /// Whether the document's measurements are from that run.
  public var isCurrent: Bool

  public init(at time: Timestamp, isCurrent: Bool) {
    self.time = time
    self.isCurrent = isCurrent
  }
}
