internal import Bytes
internal import CMicroHTTPD

/// Where the headers and parameters of a request are: still in libmicrohttpd's memory, or plain values.
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

  /// libmicrohttpd has split the query and turned `+` into a space; the escapes are still there.
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

/// Collects what libmicrohttpd's iterators visit.
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
  // A parameter without "=" has no value at all.
  let text = String(decoding: UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueSize), as: UTF8.self)
  return append(UnsafeRawBufferPointer(start: name, count: nameSize), text, to: list)
}

private func append(
  _ name: UnsafeRawBufferPointer, _ value: String, to list: UnsafeMutableRawPointer?
) -> MHD_Result {
  guard let list else { return .NO }
  Unmanaged<FieldList>.fromOpaque(list).takeUnretainedValue()
    .found.append((String(decoding: name, as: UTF8.self), value))
  return .YES
}
