internal import Glibc
internal import Synchronization

/// The open connections. One is removed before its socket is closed, so a socket found here is still its own and not a
/// number that the system has given to another.
///
/// When all places are taken, or all that one address may have, the idlest are closed: a new client always gets in,
/// and a client that opens thousands of connections loses its own.
final class ConnectionRegistry: Sendable {
  private struct State {
    var connections: [ObjectIdentifier: Connection] = [:]
    /// How many each address has. Proxies are not in there: theirs are many people's.
    var perNetwork: [ClientAddress: Int] = [:]
  }

  private let state = Mutex(State())
  private let size = Atomic<Int>(0)
  private let accepted = Atomic<Int>(0)
  /// Handed over, and not yet said to be open.
  private let opening = Atomic<Int>(0)

  var count: Int { size.load(ordering: .relaxed) }

  /// Accepted connections that were not cut.
  var live: Int { accepted.load(ordering: .relaxed) }

  /// Counts a connection that is about to be handed over; libmicrohttpd says later, on another thread, that it is open.
  func expect(_ network: ClientAddress?) {
    if let network { state.withLock { $0.perNetwork[network, default: 0] += 1 } }
    accepted.add(1, ordering: .relaxed)
    opening.add(1, ordering: .relaxed)
  }

  /// Whether there are connections that cannot be cut yet.
  var isOpening: Bool { opening.load(ordering: .relaxed) > 0 }

  /// It was not taken.
  func forget(_ network: ClientAddress?) {
    state.withLock { uncount(network, &$0) }
    opening.subtract(1, ordering: .relaxed)
  }

  func add(_ connection: Connection) {
    state.withLock { $0.connections[ObjectIdentifier(connection)] = connection }
    size.add(1, ordering: .relaxed)
    opening.subtract(1, ordering: .relaxed)
  }

  func remove(_ connection: Connection) {
    state.withLock { state in
      state.connections[ObjectIdentifier(connection)] = nil
      if !connection.isCut { uncount(connection.network, &state) }
    }
    size.subtract(1, ordering: .relaxed)
  }

  var all: [Connection] { state.withLock { Array($0.connections.values) } }

  /// Live connections of an address.
  func count(of network: ClientAddress) -> Int { state.withLock { $0.perNetwork[network] ?? 0 } }

  /// Cuts the connections whose request began before `moment` or whose body comes too slowly, and returns those that
  /// wait for an answer of ours.
  func cut(
    before moment: Int64, orIf isTooSlow: (Connection) -> Bool, counting: (Connection) -> Void
  ) -> [Connection] {
    state.withLock { state in
      var waiting: [Connection] = []
      for connection in state.connections.values {
        let isLate = connection.began < moment
        guard isLate || isTooSlow(connection) else { continue }
        if connection.isSuspended {
          if isLate { waiting.append(connection) }
        } else {
          cut(connection, &state)
          counting(connection)
        }
      }
      return waiting
    }
  }

  /// Cuts up to `count` connections of an address, the idlest first. How many it cut.
  ///
  /// While others are opening, which may well be idler, only those go that never asked for anything.
  func makeRoom(in network: ClientAddress, _ count: Int) -> Int {
    let most = mostWorthCutting
    return state.withLock { state in
      evict(count, most, of: state.connections.values.filter { $0.network == network && !$0.isCut }, &state)
    }
  }

  /// Cuts up to `count` connections, the idlest of the address that has the most. How many it cut.
  func makeRoom(_ count: Int) -> Int {
    let most = mostWorthCutting
    return state.withLock { state in
      let live = state.connections.values.filter { !$0.isCut }
      if let largest = state.perNetwork.max(by: { $0.value < $1.value })?.key {
        let cut = evict(count, most, of: live.filter { $0.network == largest }, &state)
        if cut > 0 { return cut }
      }
      return evict(count, most, of: live, &state)
    }
  }

  private var mostWorthCutting: Connection.Stage { isOpening ? .new : .receiving }

  /// Those that are owed an answer stay. Of the others, first those that never asked for anything, then those that have
  /// had their answers, then those that still send; of each the ones that have been so for the longest time.
  private func evict(_ count: Int, _ most: Connection.Stage, of candidates: [Connection], _ state: inout State) -> Int {
    let idle = candidates.map { (stage: $0.stage, began: $0.began, connection: $0) }.filter { $0.stage <= most }
      .sorted { ($0.stage, $0.began) < ($1.stage, $1.began) }
    for entry in idle.prefix(count) { cut(entry.connection, &state) }
    return min(count, idle.count)
  }

  private func cut(_ connection: Connection, _ state: inout State) {
    guard !connection.isCut else { return }
    connection.restartClock(at: .max)
    uncount(connection.network, &state)
    shutdown(connection.socket, Int32(SHUT_RDWR))
  }

  private func uncount(_ network: ClientAddress?, _ state: inout State) {
    accepted.subtract(1, ordering: .relaxed)
    guard let network, let count = state.perNetwork[network] else { return }
    state.perNetwork[network] = count > 1 ? count - 1 : nil
  }
}
