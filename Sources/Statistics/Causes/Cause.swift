/// A part of the app's use: one feature, or two of different families.
public struct CausePart: Hashable, Sendable {
  /// A feature of a family, as indices.
  public struct Feature: Hashable, Sendable, Comparable {
    public let family: Int
    public let index: Int

    public init(family: Int, index: Int) { (self.family, self.index) = (family, index) }

    public static func < (left: Self, right: Self) -> Bool {
      (left.family, left.index) < (right.family, right.index)
    }
  }

  public let features: [Feature]

  public init(_ features: [Feature]) { self.features = features.sorted() }
}

/// A part of the use in which the change is larger than elsewhere.
public struct Cause: Sendable, Equatable {
  public var part: CausePart
  /// The ratio of the change within the part to that outside of it; without a base, of the rates. With a 95 % interval.
  public var ratio: RatioInterval
  /// The part's share of the head's use, 0 to 1.
  public var useShare: Double
  /// The part's share of the head's events, 0 to 1.
  public var eventShare: Double
  /// The share of the whole change that comes from the part, with a 95 % interval. Without a base: the share of the
  /// events that exceeds what the rest of the use has.
  public var explained: RatioInterval
  public var pValue: Double
}
