internal import Glibc

/// Why a server did not start, in words for the person who started it.
public struct HTTPServerError: Error, CustomStringConvertible, Equatable {
  /// The kind of failure.
  public enum Code: Sendable {
    case invalidHost, invalidPort, addressInUse, addressNotAvailable, permissionDenied, system
  }

  /// What failed.
  public let code: Code
  /// What failed, with the address, and what to do about it.
  public let description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }

  /// The failure of a system call while listening at `address`.
  static func listening(at address: String, _ number: Int32) -> HTTPServerError {
    switch number {
    case EADDRINUSE:
      .init(.addressInUse, "\(address) is already in use. Stop the program that listens there or choose another port.")
    case EADDRNOTAVAIL:
      .init(.addressNotAvailable, "\(address) is not an address of this machine.")
    case EACCES, EPERM:
      .init(.permissionDenied, "Listening on \(address) is not permitted. Ports below 1024 need a privilege.")
    default:
      .init(.system, "Cannot listen on \(address): \(String(cString: strerror(number))).")
    }
  }
}
