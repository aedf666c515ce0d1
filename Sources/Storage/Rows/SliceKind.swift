/// The names that a row of numbers belongs to: all names of a cell, or some of them for rollups, which are sums over
/// the others. Raw values are stored in ClickHouse: never change one.
public enum SliceKind: UInt8, Sendable, CaseIterable {
  case cell = 1
  case all = 2
  case release = 3
  case system = 4
  case device = 5
  case deviceClass = 6
  case releaseAndClass = 7
  case attribute = 8
  case releaseAndAttribute = 9
  case attributeAndClass = 10

  /// Whether rows of this kind have names of a dimension.
  public func has(_ dimension: Dimension) -> Bool {
    switch dimension {
    case .release: [.cell, .release, .releaseAndClass, .releaseAndAttribute].contains(self)
    case .os: self == .cell || self == .system
    case .device: self == .cell || self == .device
    case .deviceClass: [.cell, .deviceClass, .releaseAndClass, .attributeAndClass].contains(self)
    case .attribute: [.cell, .attribute, .releaseAndAttribute, .attributeAndClass].contains(self)
    case .combination: self == .cell
    }
  }
}
