internal import CMicroHTTPD
internal import Glibc

extension HTTPServer {
  /// Whether the server answers `GET path` with 200 over a socket, as a client sees it. Blocks for at most about
  /// `seconds`; false while the server does not run.
  public func answers(_ path: String, within seconds: Int) -> Bool {
    let port = self.port
    guard port > 0, let port16 = UInt16(exactly: port),
      var address = try? SocketAddress(host: reachableHost, port: port16)
    else { return false }
    let descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var limit = timeval(tv_sec: max(1, seconds), tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
    guard address.connect(descriptor) == 0 else { return false }
    let request = Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
    guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else { return false }
    let expected = Array("HTTP/1.1 200 ".utf8)
    var answer = [UInt8](repeating: 0, count: expected.count)
    return recv(descriptor, &answer, answer.count, Int32(MSG_WAITALL)) == expected.count && answer == expected
  }

  /// The address to connect to: a server that listens on every address is reached on loopback.
  private var reachableHost: String {
    switch configuration.host {
    case "0.0.0.0": "127.0.0.1"
    case "::", "[::]": "::1"
    default: configuration.host
    }
  }
}
