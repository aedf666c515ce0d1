/// Finds the path of a container nested deeper than the parser's limit, for the error message: simdjson does not report
/// it. Runs only after that failure and checks nothing else.
struct DepthLocator {
  private struct Container {
    let isObject: Bool
    var key = 0..<0
    var position = 0
    var expectsKey = true
  }

  /// The path of the container that exceeds `limit` levels, cut to `JSONPath.longest` bytes.
  static func path(in bytes: UnsafeRawBufferPointer, limit: Int) -> String {
    var open: [Container] = []
    var at = 0
    while at < bytes.count, open.count < limit {
      switch bytes[at] {
      case UInt8(ascii: "{"): open.append(Container(isObject: true))
      case UInt8(ascii: "["): open.append(Container(isObject: false))
      case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = open.popLast()
      case UInt8(ascii: ","):
        guard let last = open.indices.last else { break }
        open[last].position += 1
        open[last].expectsKey = true
      case UInt8(ascii: "\""):
        let start = at + 1
        at = endOfString(in: bytes, from: start)
        if let last = open.indices.last, open[last].expectsKey {
          open[last].key = start..<at
          open[last].expectsKey = false
        }
      default: break
      }
      at += 1
    }
    return path(of: open.dropLast(), bytes)
  }

  /// The index of the closing quote, or the end of the document if there is none.
  private static func endOfString(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var at = start
    while at < bytes.count, bytes[at] != UInt8(ascii: "\"") { at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1 }
    return min(at, bytes.count)
  }

  private static func path(of open: ArraySlice<Container>, _ bytes: UnsafeRawBufferPointer) -> String {
    var path = ""
    for container in open {
      if path.utf8.count >= JSONPath.longest { break }
      if container.isObject {
        path = JSONPath.member(String(decoding: bytes[container.key].prefix(400), as: UTF8.self), of: path)
      } else {
        path += "[\(container.position)]"
      }
    }
    return path
  }
}
