/// The place of a primary in the sequence of primaries of an installation. Each promotion begins an epoch.
public struct Epoch: Sendable, Equatable {
  /// The epoch's number; 0 for the first primary.
  public var number: Int64
  /// Identifies the promotion that began the epoch. Two standbys that were both promoted may have the same number, but
  /// never the same text. Nil in the first epoch.
  public var promotion: String?
  /// The address of the primary that this one replaced; nil in the first epoch.
  public var previous: String?
  /// The newer primary that replaced this one; nil while there is none.
  public var successor: Successor?

  /// A newer primary.
  public struct Successor: Sendable, Equatable {
    public var number: Int64
    public var address: String

    public init(number: Int64, address: String) { (self.number, self.address) = (number, address) }
  }

  public init(
    number: Int64, promotion: String? = nil, previous: String? = nil, successor: Successor? = nil
  ) {
    (self.number, self.promotion, self.previous, self.successor) = (number, promotion, previous, successor)
  }

  /// A text for `promotion`.
  public static func newPromotion() -> String { String(UInt64.random(in: 0...UInt64.max), radix: 16) }
  /// The longest accepted text, in bytes.
  public static let longestPromotion = 16

  /// Whether another primary has this number by another promotion.
  public func isRival(of other: Epoch) -> Bool {
    guard number == other.number, let promotion, let theirs = other.promotion else { return false }
    return promotion != theirs
  }
}

/// Two standbys of one primary were promoted, so that two servers accept payloads.
public struct RivalPrimaries: Error, Equatable, CustomStringConvertible {
  public var epoch: Int64
  /// The address of one server, or a description.
  public var one: String
  public var other: String

  public init(epoch: Int64, _ one: String, _ other: String) { (self.epoch, self.one, self.other) = (epoch, one, other) }

  public var description: String {
    "Two servers were promoted to epoch \(epoch): \(one) and \(other). To end this, run `plumb promote --force` on the "
      + "one that is to stay. The other then accepts no payloads."
  }
}

/// The error of writing to the journal of a primary that was replaced.
public struct SupersededPrimary: Error, Equatable, CustomStringConvertible {
  public var successor: Epoch.Successor

  public init(_ successor: Epoch.Successor) { self.successor = successor }

  public var description: String {
    "This primary was replaced by \(successor.address) (epoch \(successor.number)) and accepts no payloads. To make it "
      + "a standby, move its folder away and start `plumb serve --standby-of \(successor.address)`."
  }
}

/// The error of writing to the folder of a standby.
public struct StandbyIsReadOnly: Error, Equatable, CustomStringConvertible {
  public var primary: String

  public init(primary: String) { self.primary = primary }

  public var description: String {
    "This folder is a standby of \(primary), so it cannot be changed here. Make the change on the primary, or run "
      + "`plumb promote`."
  }
}
