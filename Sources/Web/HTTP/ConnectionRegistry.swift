import Glibc
import Synchronization

/// The open connections. A connection is removed before its socket is closed, so the system cannot have reused a
/// descriptor found here.
///
/// When the limit of all connections or of one address is reached, the most idle connections are closed. So a new
/// client is always accepted, and a client that opens thousands of connections loses only its own.
final class ConnectionRegistry: Sendable {
  private struct State {
    var connections: [ObjectIdentifier: Connection] = [:]
    /// The number of connections per address, without trusted proxies, because many clients share their connections.
    var perNetwork: [ClientAddress: Int] = [:]
  }

  private let state = Mutex(State())
  private let size = Atomic<Int>(0)
  private let accepted = Atomic<Int>(0)
  /// The number of connections passed to libmicrohttpd that it has not yet reported as open.
  private let opening = Atomic<Int>(0)

  var count: Int { size.load(ordering: .relaxed) }

  /// The number of accepted connections that the server has not shut down.
  var live: Int { accepted.load(ordering: .relaxed) }

  /// Counts a connection before it is passed to libmicrohttpd, which reports it as open later on another thread.
  func expect(_ network: ClientAddress?) {
    if let network { state.withLock { $0.perNetwork[network, default: 0] += 1 } }
    accepted.add(1, ordering: .relaxed)
    opening.add(1, ordering: .relaxed)
  }

  /// Whether there are connections that are not open yet and therefore cannot be closed.
  var isOpening: Bool { opening.load(ordering: .relaxed) > 0 }

  /// Undoes `expect` for a connection that libmicrohttpd did not accept.
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

  /// The number of accepted connections of an address that the server has not shut down.
  func count(of network: ClientAddress) -> Int { state.withLock { $0.perNetwork[network] ?? 0 } }

  /// Shuts down the connections whose request began before `moment` or whose body arrives too slowly. Connections that
  /// wait for an answer of the program stay open and are returned.
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

  /// Shuts down connections that the client closed in the middle of a request.
  func cutAbandoned() {
    state.withLock { state in
      for connection in state.connections.values where !connection.isSuspended && connection.isAbandoned() {
        cut(connection, &state)
      }
    }
  }

  /// Shuts down up to `count` connections of an address, most idle first, and returns the number.
  ///
  /// While other connections of that address are opening, which may be more idle, only connections without any request
  /// are shut down.
  func makeRoom(in network: ClientAddress, _ count: Int) -> Int {
    let most = mostWorthCutting
    return state.withLock { state in
      evict(count, most, of: state.connections.values.filter { $0.network == network && !$0.isCut }, &state)
    }
  }

  /// Shuts down up to `count` connections of the address with the most connections, most idle first, and returns the
  /// number.
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

  /// Shuts down up to `count` of the candidates whose stage is at most `most`, in the order new, idle, receiving;
  /// within a stage, oldest first.
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
