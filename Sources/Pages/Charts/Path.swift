import HTML

/// The `d` of an SVG path.
struct Path {
  private var bytes: [UInt8] = []

  var text: String { String(decoding: bytes, as: UTF8.self) }
  var isEmpty: Bool { bytes.isEmpty }

  mutating func move(_ point: Point) { append("M", point) }
  mutating func line(_ point: Point) { append("L", point) }
  mutating func close() { bytes.append(UInt8(ascii: "Z")) }

  private mutating func append(_ command: Unicode.Scalar, _ point: Point) {
    bytes.append(UInt8(ascii: command))
    Coordinate.append((point.x * 10).rounded() / 10, to: &bytes)
    bytes.append(UInt8(ascii: " "))
    Coordinate.append((point.y * 10).rounded() / 10, to: &bytes)
  }
}

/// A place in a drawing.
struct Point: Equatable {
  var x: Double
  var y: Double
}
