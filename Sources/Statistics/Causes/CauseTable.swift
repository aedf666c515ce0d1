#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The events and the use of every combination of OS version, device model and the like, from which `CauseSearch` finds
/// the parts of an app's use in which something became worse.
///
/// A *family* is one kind of name: OS versions, devices, values of an attribute. Each combination has one member of each
/// family. A member has *features*, from which causes are made: the model iPhone14,7 is also "iPhone 14", and "iPhone 14
/// and older".
public struct CauseTable: Sendable {
  /// The features of the members of one family, as indices.
  public struct Family: Sendable {
    /// The features of each member.
    let features: [[Int]]
    let featureCount: Int
    /// Whether no part combines a feature of this family with one of another exclusive family.
    let isExclusive: Bool

    /// Creates a family. `features`: the features of each member, without gaps from 0.
    public init(features: [[Int]], isExclusive: Bool = false) {
      self.features = features
      self.isExclusive = isExclusive
      featureCount = (features.joined().max() ?? -1) + 1
    }
  }

  /// The events of one combination.
  struct Cell {
    /// The member of each family.
    let members: [Int]
    /// The events whose distribution is modelled.
    let events: Double
    /// The events of both sides, of which `events` are those of the head; nil without a base.
    let total: Double?
    /// The use of the head.
    let use: Double
    /// The logarithm of the use, or of the ratio of the head's use to the base's.
    let offset: Double
    let head: EventCount
    let base: EventCount?
  }

  let families: [Family]
  private(set) var cells: [Cell] = []

  public init(families: [Family]) { self.families = families }

  /// Whether a part may combine features of two families.
  func combines(_ one: Int, _ other: Int) -> Bool {
    one != other && !(families[one].isExclusive && families[other].isExclusive)
  }

  /// Adds a combination and the events of the head, divided by their design effect like those of the base.
  ///
  /// With a base, only the number of the head's events among those of both is modelled. So a combination that is worse
  /// than others on both sides is no cause. Combinations without use of both sides say nothing and are left out. Without
  /// a base, all combinations are expected to have the same rate.
  public mutating func add(_ members: [Int], head: EventCount, base: EventCount? = nil) {
    guard members.count == families.count, head.use > 0 else { return }
    guard let base else {
      return cells.append(
        Cell(
          members: members, events: head.events, total: nil, use: head.use, offset: log(head.use), head: head, base: nil
        ))
    }
    guard base.use > 0 else { return }
    cells.append(
      Cell(
        members: members, events: head.events, total: head.events + base.events, use: head.use,
        offset: log(head.use / base.use), head: head, base: base))
  }
}
