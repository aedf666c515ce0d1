public import Core
public import Statistics
public import Storage

/// The answer to "where": the parts of an app's use in which a metric of a release became worse than elsewhere, or from
/// which a group of diagnostics has more reports than from other use.
public struct CauseList: Sendable, Equatable {
  /// The name of the metric, `sessions.crash_free`, or the kind of the group: `crash`.
  public var metric: String
  /// The release, and the one that it is compared with; nil for a group.
  public var release: String?
  public var base: String?
  /// The days that are compared or counted.
  public var window: Window
  /// The days with which those of the window are compared; nil for a comparison of releases, and for a group.
  public var before: Window?
  /// The causes, most significant first.
  public var causes: [NamedCause]
  /// The number of parts that had enough use and events to be judged. With 0, nothing can be said.
  public var tested: Int
  /// Whether the metric as a whole became worse by more than chance; true for a group.
  public var isWorse = true
  /// Whether the use states device and OS version, so that they were searched.
  public var knowsDevices = true
}

/// A part of an app's use that became worse than the rest.
public struct NamedCause: Sendable, Equatable {
  /// One or two names that select the part.
  public var names: [Name]
  /// The change within the part relative to that outside of it.
  public var ratio: RatioInterval
  /// The part's share of the release's use.
  public var useShare: Double
  /// The part's share of the release's bad events.
  public var eventShare: Double
  /// The share of the whole change that the part explains.
  public var explained: RatioInterval

  /// The kinds of names that select a part.
  public enum Dimension: String, Sendable, CaseIterable {
    /// A build of the judged release; for a group, a version or a build.
    case release
    case os
    case device
    case deviceClass = "device_class"
    /// A value of one of the app's attributes.
    case attribute
    /// A label of the metric, such as a screen.
    case label
    /// How long the installation has run the release: `firstSession`. There is no filter for it.
    case updateAge = "update_age"
  }

  /// The name of the first session of an installation with a release.
  public static let firstSession = "first_session"

  /// A name and its dimension.
  public struct Name: Sendable, Equatable {
    public var dimension: Dimension
    /// The value of the filter with the dimension's name: `iOS 18.6`, `iOS 18.*`, `iPhone14,7`, `region=DE`.
    public var value: String

    public init(dimension: Dimension, value: String) { (self.dimension, self.value) = (dimension, value) }
  }

  /// The slice with the part's names.
  public func slice(of whole: Slice) -> Slice {
    var slice = whole
    for name in names {
      switch name.dimension {
      case .os: slice.os = name.value
      case .device: slice.device = name.value
      case .deviceClass: slice.deviceClass = name.value
      case .attribute: slice.attribute = AttributeFilter(name.value)
      case .release: slice.release = name.value
      case .label: slice.label = name.value
      case .updateAge: break
      }
    }
    return slice
  }
}

extension NamedCause {
  /// The first session of an installation with a release as a cause.
  init(firstSession ratio: RatioInterval, useShare: Double, eventShare: Double, explained: RatioInterval) {
    names = [Name(dimension: .updateAge, value: Self.firstSession)]
    (self.ratio, self.useShare, self.eventShare, self.explained) = (ratio, useShare, eventShare, explained)
  }
}

extension CauseList: APIObject {
  public static let fields = Fields<Self>(
    "CauseList", "The parts of an app's use in which a metric became worse, or from which a group has more reports."
  ) {
    Field("metric", \.metric, "The metric, or the kind of a group.")
    Field("release", \.release, "Null for a group.")
    Field("base", \.base, "The release that it is compared with; null for a group, and for a comparison with `before`.")
    Field("window", \.window)
    Field("before", \.before, "The earlier days of the same release that it is compared with; null for a group.")
    Field("causes", \.causes, "Most significant first. Empty if no part stands out.")
    Field("worse", \.isWorse, "Whether the metric as a whole became worse by more than chance; true for a group.")
    Field("tested", \.tested, "The number of parts with enough use and events. With 0, nothing can be said.")
    Field("knows_devices", \.knowsDevices, "Whether device and OS version of the use are known, and were searched.")
  }
}

extension NamedCause: APIObject {
  public static let fields = Fields<Self>("Cause") {
    Field("title", \.title, "The part of the use: `iPhone 12 and older with iOS 18.6`.")
    Field("release", { $0.value(.release) }, "A build of the judged release; for a group, a version or build.")
    Field("os", { $0.value(.os) }, "The filters that select the part; at most two are not null.")
    Field("device", { $0.value(.device) })
    Field("device_class", { $0.value(.deviceClass) })
    Field("attribute", { $0.value(.attribute) })
    Field("label", { $0.value(.label) })
    Field("update_age", { $0.value(.updateAge) }, "`first_session` after the update; no filter selects it.")
    Field(
      "ratio", \.ratio.value,
      "The change within the part relative to that outside of it, with a 95 % interval; for a group, the reports for the "
        + "same use.")
    Field("ratio_low", \.ratio.low)
    Field("ratio_high", \.ratio.high)
    Field("use_share", \.useShare, "The part's share of the use.")
    Field("event_share", \.eventShare, "The part's share of the bad events or reports.")
    Field(
      "explained", \.explained.value,
      "The share of the whole change that comes from the part, with a 95 % interval; null if the whole did not change.")
    Field("explained_low", \.explained.low)
    Field("explained_high", \.explained.high)
  }

  private func value(_ dimension: Dimension) -> String? { names.first { $0.dimension == dimension }?.value }
}
