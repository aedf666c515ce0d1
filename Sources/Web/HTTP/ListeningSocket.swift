internal import CMicroHTTPD
internal import Glibc

/// A listening TCP socket. It is created here instead of by libmicrohttpd, so that the `errno` of a failure is known.
struct ListeningSocket {
  let descriptor: Int32
  let port: Int

  init(host: String, port: Int) throws(HTTPServerError) {
    guard let port16 = UInt16(exactly: port) else {
      throw HTTPServerError(.invalidPort, "\(port) is not a valid port. Expected 0 to 65535.")
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

/// An IPv4 or IPv6 address with a port.
struct SocketAddress {
  private var storage = sockaddr_storage()
  let family: Int32

  init(host: String, port: UInt16) throws(HTTPServerError) {
    let text = host == "localhost" ? "127.0.0.1" : host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    var four = sockaddr_in()
    var six = sockaddr_in6()
    if inet_pton(AF_INET, text, &four.sin_addr) == 1 {
      family = AF_INET
      four.sin_family = sa_family_t(AF_INET)
      four.sin_port = port.bigEndian
      withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: four, as: sockaddr_in.self) }
    } else if inet_pton(AF_INET6, text, &six.sin6_addr) == 1 {
      family = AF_INET6
      six.sin6_family = sa_family_t(AF_INET6)
      six.sin6_port = port.bigEndian
      withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: six, as: sockaddr_in6.self) }
    } else {
      throw HTTPServerError(.invalidHost, "\"\(host)\" is not a valid host. Expected an IP address or localhost.")
    }
  }

  mutating func bind(_ descriptor: Int32) -> Int32 {
    let size = family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
    return withUnsafePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(descriptor, $0, socklen_t(size)) }
    }
  }

  mutating func connect(_ descriptor: Int32) -> Int32 {
    let size = family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
    return withUnsafePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, socklen_t(size)) }
    }
  }

  /// The port that a socket is bound to. `sockaddr_in` and `sockaddr_in6` store it at the same offset.
  static func port(of descriptor: Int32) -> Int {
    var storage = sockaddr_in6()
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    withUnsafeMutablePointer(to: &storage) {
      _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    return Int(UInt16(bigEndian: storage.sin6_port))
  }
}
