internal import Glibc
internal import Synchronization

/// The open connections. One is removed before its socket is closed, so a socket found here is still its own and not a
/// number that the system has given to another.
final class ConnectionRegistry: Sendable {
  private let connections = Mutex<[ObjectIdentifier: Connection]>([:])
  private let size = Atomic<Int>(0)

  var count: Int { size.load(ordering: .relaxed) }

  func add(_ connection: Connection) {
    connections.withLock { $0[ObjectIdentifier(connection)] = connection }
    size.add(1, ordering: .relaxed)
  }

  func remove(_ connection: Connection) {
    _ = connections.withLock { $0.removeValue(forKey: ObjectIdentifier(connection)) }
    size.subtract(1, ordering: .relaxed)
  }

  var all: [Connection] { connections.withLock { Array($0.values) } }

  /// Cuts the connections whose request began before `moment`, and returns those that wait for an answer of ours.
  func cut(before moment: Int64, counting: (Connection) -> Void) -> [Connection] {
    connections.withLock { connections in
      var waiting: [Connection] = []
      for connection in connections.values where connection.began < moment {
        if connection.isSuspended {
          waiting.append(connection)
        } else {
          connection.restartClock(at: .max)
          shutdown(connection.socket, Int32(SHUT_RDWR))
          counting(connection)
        }
      }
      return waiting
    }
  }
}
