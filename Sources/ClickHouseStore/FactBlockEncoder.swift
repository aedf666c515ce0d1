public import Storage
public import Telemetry

/// Encodes a node's changes as blocks of the table `facts`.
public struct FactBlockEncoder: FactEncoder {
  private let node: NodeID

  public init(_ node: NodeID) { self.node = node }

  public var mostFacts: Int { FactBlock.mostRows }

  public func encode(_ facts: [Fact], number: Int64, received: CalendarDay) -> [UInt8] {
    var block = FactBlock()
    for fact in facts { block.add(fact) }
    return block.encoded(number...number, of: node, received: received)
  }
}
