internal import CMicroHTTPD
internal import Core

/// A borrowed view of the request line and headers, valid only during the call that receives it.
///
/// Headers stay in libmicrohttpd's memory and are copied only when read. The type is not copyable, so it cannot outlive
/// the call; work on other threads uses a `RequestSnapshot`.
public struct RequestHead: ~Copyable {
  /// The method as sent: `GET`, `POST`.
  let method: String
  /// The `Content-Length` in bytes; nil if it is missing or the body is chunked.
  let contentLength: Int?
  /// Whether the client waits for `100 Continue` before it sends the body.
  let expectsContinue: Bool
  /// Whether there is a `Content-Encoding` header. Stored, so that the headers are not searched again.
  let hasContentCoding: Bool

  /// The peer's address: the client's, or its proxy's. Nil for a head created for a test.
  let peer: ClientAddress?

  /// True if `admit` is called again after it returned `askAgain`.
  var isAskedAgain = false

  /// The path below which clients reach the server. `path` does not contain it. Empty at the root of a host.
  let mountPath: String
  let escapedPath: String
  private let fields: RequestFields

  /// Creates a head from values instead of a socket, for tests. `target` is an escaped path with an optional query.
  init(method: String, target: String, headers: [(String, String)] = [], peer: ClientAddress? = nil) {
    self.peer = peer
    let parts = target.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
    self.method = method
    mountPath = ""
    escapedPath = String(parts.first.map(Substring.init) ?? "")
    fields = .values(headers: headers, query: parts.count > 1 ? PercentEncoding.query(Substring(parts[1])) : [])
    contentLength = fields.header("content-length").flatMap { Int($0) }
    expectsContinue = fields.header("expect")?.lowercased() == "100-continue"
    hasContentCoding = fields.header("content-encoding") != nil
  }

  init(
    _ connection: OpaquePointer, url: UnsafePointer<CChar>, method: UnsafePointer<CChar>, framing: RequestFraming,
    of request: Connection
  ) {
    let mount = request.service.configuration.mountPath
    peer = request.peer
    self.method = String(cString: method).streamSafe
    mountPath = mount.path
    escapedPath = mount.stripped(url)
    fields = .connection(connection)
    contentLength = framing.contentLength
    expectsContinue = framing.expectsContinue
    hasContentCoding = framing.hasContentCoding
  }

  /// The path, percent-decoded, without the query.
  var path: String { PercentEncoding.decode(escapedPath) }

  /// The segments of the path between slashes, each percent-decoded separately, so that an escaped slash stays in its
  /// segment.
  var segments: [String] { PercentEncoding.segments(escapedPath) }

  /// The query parameters in order, decoded (`%41` and `+`).
  var query: [(name: String, value: String)] { fields.query }

  /// All headers in the order of arrival.
  var headers: [(name: String, value: String)] { fields.headers }

  /// The value of the first parameter named `name`.
  func query(_ name: String) -> String? { fields.query.first { $0.name == name }?.value }

  /// The value of the first header named `name`, in any letter case.
  func header(_ name: String) -> String? { fields.header(name) }
}

/// The storage of headers and parameters: libmicrohttpd's memory, or plain values.
enum RequestFields {
  case connection(OpaquePointer)
  case values(headers: [(String, String)], query: [(name: String, value: String)])

  func header(_ name: String) -> String? {
    switch self {
    case .connection(let connection): return Self.look(up: name, in: connection)
    case .values(let headers, _): return headers.first { ASCII.equal($0.0, name) }?.1
    }
  }

  var headers: [(name: String, value: String)] {
    switch self {
    case .connection(let connection): return FieldList.collect { plumb_each_header(connection, visitHeader, $0) }
    case .values(let headers, _): return headers.map { (name: $0.0, value: $0.1) }
    }
  }

  /// The decoded query parameters. libmicrohttpd has split the query and replaced `+` by a space, but not the percent
  /// escapes.
  var query: [(name: String, value: String)] {
    switch self {
    case .connection(let connection):
      return FieldList.collect { plumb_each_argument(connection, visitArgument, $0) }
        .map { (name: PercentEncoding.decode($0.name), value: PercentEncoding.decode($0.value)) }
    case .values(_, let query): return query
    }
  }

  private static func look(up name: String, in connection: OpaquePointer) -> String? {
    var name = name
    return name.withUTF8 { bytes in
      var value: UnsafePointer<CChar>?
      var size = 0
      let found = bytes.withMemoryRebound(to: CChar.self) {
        plumb_header(connection, $0.baseAddress, $0.count, &value, &size)
      }
      guard found == .YES, let value else { return nil }
      return ASCII.trimmedText(UnsafeRawBufferPointer(start: value, count: size))
    }
  }
}

/// Collects the names and values that libmicrohttpd's iterators visit.
private final class FieldList {
  var found: [(name: String, value: String)] = []

  static func collect(_ iterate: (UnsafeMutableRawPointer) -> Void) -> [(name: String, value: String)] {
    let list = FieldList()
    withExtendedLifetime(list) { iterate(Unmanaged.passUnretained(list).toOpaque()) }
    return list.found
  }
}

private func visitHeader(
  _ list: UnsafeMutableRawPointer?, _ kind: MHD_ValueKind, _ name: UnsafePointer<CChar>?, _ nameSize: Int,
  _ value: UnsafePointer<CChar>?, _ valueSize: Int
) -> MHD_Result {
  let text = ASCII.trimmedText(UnsafeRawBufferPointer(start: value, count: valueSize))
  return append(UnsafeRawBufferPointer(start: name, count: nameSize), text, to: list)
}

private func visitArgument(
  _ list: UnsafeMutableRawPointer?, _ kind: MHD_ValueKind, _ name: UnsafePointer<CChar>?, _ nameSize: Int,
  _ value: UnsafePointer<CChar>?, _ valueSize: Int
) -> MHD_Result {
  // A parameter without "=" has a null value.
  let text = String(decoding: UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueSize), as: UTF8.self)
    .streamSafe
  return append(UnsafeRawBufferPointer(start: name, count: nameSize), text, to: list)
}

private func append(
  _ name: UnsafeRawBufferPointer, _ value: String, to list: UnsafeMutableRawPointer?
) -> MHD_Result {
  guard let list else { return .NO }
  Unmanaged<FieldList>.fromOpaque(list).takeUnretainedValue()
    .found.append((String(decoding: name, as: UTF8.self).streamSafe, value))
  return .YES
}
