internal import CMicroHTTPD
internal import Glibc

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
      throw HTTPServerError(.invalidHost, "\"\(host)\" is not an IPv4 or IPv6 address, nor localhost.")
    }
  }

  mutating func bind(_ descriptor: Int32) -> Int32 {
    let size = family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
    return withUnsafePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(descriptor, $0, socklen_t(size)) }
    }
  }

  /// The port that a socket is bound to. It stands at the same place in both families.
  static func port(of descriptor: Int32) -> Int {
    var storage = sockaddr_in6()
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    withUnsafeMutablePointer(to: &storage) {
      _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    return Int(UInt16(bigEndian: storage.sin6_port))
  }
}
