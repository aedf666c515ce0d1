internal import CMicroHTTPD
internal import Glibc

/// A listening TCP socket. Made by us and not by libmicrohttpd, so that a failure can be told apart.
struct ListeningSocket {
  let descriptor: Int32
  let port: Int

  init(host: String, port: Int) throws(HTTPServerError) {
    guard let port16 = UInt16(exactly: port) else {
      throw HTTPServerError(.invalidPort, "\(port) is not a port: it must be 0 to 65535.")
    }
    let name = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    var address = try SocketAddress(host: host, port: port16)
    let descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw .listening(at: name, errno) }
    var yes: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    guard address.bind(descriptor) == 0, listen(descriptor, SOMAXCONN) == 0,
      fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0, fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
    else {
      let number = errno
      close(descriptor)
      throw .listening(at: name, number)
    }
    self.descriptor = descriptor
    self.port = SocketAddress.port(of: descriptor)
  }
}
