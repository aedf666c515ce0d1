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
    case .connection(let connection): return FieldList.collect { plumb_each_header(connection, visit, $0) }
    case .values(let headers, _): return headers.map { (name: $0.0, value: $0.1) }
    }
  }

  /// libmicrohttpd has split the query and turned `+` into a space; the escapes are still there.
  var query: [(name: String, value: String)] {
    switch self {
    case .connection(let connection):
      return FieldList.collect { plumb_each_argument(connection, visit, $0) }
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
      return String(decoding: UnsafeRawBufferPointer(start: value, count: size), as: UTF8.self)
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

private func visit(
  _ context: UnsafeMutableRawPointer?, _ kind: MHD_ValueKind, _ name: UnsafePointer<CChar>?, _ nameSize: Int,
  _ value: UnsafePointer<CChar>?, _ valueSize: Int
) -> MHD_Result {
  guard let context, let name else { return .YES }
  let list = Unmanaged<FieldList>.fromOpaque(context).takeUnretainedValue()
  // A parameter without "=" has no value at all.
  let text = value.map { String(decoding: UnsafeRawBufferPointer(start: $0, count: valueSize), as: UTF8.self) } ?? ""
  list.found.append((String(decoding: UnsafeRawBufferPointer(start: name, count: nameSize), as: UTF8.self), text))
  return .YES
}
