import Ingest

extension HostileBody {
  static let otlp: [HostileBody] = [
    HostileBody("OTLP: eight million empty points", .otlpMetrics(.protobuf), isRead: false) {
      Wire.metric(5, [UInt8](repeatingPair: (0x0A, 0x00), 8_000_000))
    },
    HostileBody("OTLP: as many empty points as are read", .otlpMetrics(.protobuf)) {
      Wire.metric(5, [UInt8](repeatingPair: (0x0A, 0x00), 25_000))
    },
    HostileBody("OTLP: points of five attributes", .otlpMetrics(.protobuf)) {
      // A key of a byte, and an empty value.
      let attribute = Wire.field(7, [0x0A, 0x01, 0x61, 0x12, 0x00])
      let point = Wire.field(1, [0x19, 1, 0, 0, 0, 0, 0, 0, 0, 0x21, 0, 0, 0, 0, 0, 0, 0, 0] + repeated(attribute, 5))
      return Wire.metric(5, repeated(point, 22_000))
    },
    HostileBody("OTLP: points of a resource each", .otlpMetrics(.protobuf)) {
      var bytes: [UInt8] = []
      for number in 0..<10_000 {
        let resource = Wire.field(1, Wire.attribute(1, "service.version", "v\(number)"))
        bytes += Wire.field(1, resource + Wire.scope(5, Wire.field(1, [0x21, 0, 0, 0, 0, 0, 0, 0, 0])))
      }
      return bytes
    },
    HostileBody("OTLP: histograms of as many counts as are read", .otlpMetrics(.protobuf)) {
      // Field 8, positive; in it field 2, packed counts of one byte each.
      let counts = Wire.field(8, Wire.field(2, [UInt8](repeating: 1, count: 3_000)))
      // Field 6, a scale of 6: values between 1 and 2^50.
      let point = Wire.field(1, [0x30, 0x0C] + counts)
      return Wire.metric(10, repeated(point, 600) + [0x10, 0x01])
    },
    HostileBody("OTLP: a histogram whose counts come in a million parts", .otlpMetrics(.protobuf)) {
      let part = Wire.field(6, [1, 0, 0, 0, 0, 0, 0, 0])
      return Wire.metric(9, Wire.field(1, repeated(part, 1_000_000)) + [0x10, 0x01])
    },
    HostileBody("OTLP: points of a discarded kind", .otlpMetrics(.protobuf)) {
      // A gauge, a sum, and so on in turn: the last one counts.
      let point = Wire.field(1, [0x21, 0, 0, 0, 0, 0, 0, 0, 0])
      return Wire.field(1, Wire.field(2, Wire.field(2, repeated(Wire.field(5, point) + Wire.field(7, point), 12_000))))
    },
    HostileBody("OTLP: sixteen million counts", .otlpMetrics(.protobuf), isRead: false) {
      Wire.metric(10, Wire.field(1, Wire.field(8, Wire.field(2, [UInt8](repeating: 1, count: 16 << 20)))))
    },
    HostileBody("OTLP: 120,000 empty attributes of 120,000 empty records", .otlpLogs(.protobuf), isRead: false) {
      let resource = Wire.field(1, [UInt8](repeatingPair: (0x0A, 0x00), 120_000))
      return Wire.field(1, resource + Wire.field(2, [UInt8](repeatingPair: (0x12, 0x00), 120_000)))
    },
    HostileBody("OTLP: as many attributes and records as are read", .otlpLogs(.protobuf)) {
      let resource = Wire.field(1, [UInt8](repeatingPair: (0x0A, 0x00), 224_000))
      return Wire.field(1, resource + Wire.field(2, [UInt8](repeatingPair: (0x12, 0x00), 25_000)))
    },
    HostileBody("OTLP: exceptions of one large resource", .otlpLogs(.protobuf)) {
      let resource = Wire.field(1, Wire.attribute(1, "session.id", repeated("s", 12 << 20)))
      let record = Wire.field(2, Wire.attribute(6, "exception.type", "T"))
      return Wire.field(1, resource + Wire.field(2, repeated(record, 25_000)))
    },
    HostileBody("OTLP: attributes of one name with large values", .otlpLogs(.protobuf)) {
      let attributes = repeated(Wire.attribute(6, "a", repeated("x", 150_000)), 100)
      return Wire.field(1, Wire.field(2, Wire.field(2, attributes + Wire.attribute(6, "exception.type", "T"))))
    },
    HostileBody("OTLP: a stack of as many frames as fit", .otlpLogs(.protobuf)) {
      let stack = #"{"callStacks":[{"callStackFrames":[\#(list(1_090_000) { _ in "{}" })]}]}"#
      let record = Wire.attribute(6, "exception.type", "T") + Wire.attribute(6, "exception.stacktrace", stack)
      return Wire.field(1, Wire.field(2, Wire.field(2, record)))
    },
    HostileBody("OTLP: a record whose body comes in 60,000 parts", .otlpLogs(.protobuf)) {
      // A list of one empty attribute each, which are added up.
      let part = Wire.field(5, Wire.field(6, [0x0A, 0x00]))
      return Wire.field(1, Wire.field(2, Wire.field(2, repeated(part, 60_000))))
    },
    HostileBody("OTLP: as many empty spans as are read", .otlpTraces(.protobuf)) {
      Wire.field(1, Wire.field(2, [UInt8](repeatingPair: (0x12, 0x00), 25_000)))
    },
    HostileBody("OTLP: a payload's span of as many attributes as are read", .otlpTraces(.protobuf)) {
      let attributes = (0..<80_000).flatMap { Wire.attribute(9, "metrickit.new.m\($0)", "1") }
      return Wire.field(1, Wire.field(2, Wire.field(2, Wire.field(5, Array("MXMetricPayload".utf8)) + attributes)))
    },
    HostileBody("OTLP JSON: empty points", .otlpMetrics(.json)) {
      let points = list(25_000) { _ in "{}" }
      return #"{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"m","gauge":{"dataPoints":[\#(points)]}}]}]}]}"#
    },
    HostileBody("OTLP JSON: as many empty points as fit", .otlpMetrics(.json), isRead: false) {
      let points = list(490_000) { _ in "{}" }
      return #"{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"m","gauge":{"dataPoints":[\#(points)]}}]}]}]}"#
    },
    HostileBody("OTLP JSON: attributes", .otlpLogs(.json)) {
      let attributes = list(90_000) { #"{"key":"k\#($0)","value":{"stringValue":"v"}}"# }
      return #"{"resourceLogs":[{"resource":{"attributes":[\#(attributes)]},"scopeLogs":[{"logRecords":[{}]}]}]}"#
    },
    HostileBody("OTLP JSON: a name of 16 MB", .otlpMetrics(.json)) {
      #"{"resourceMetrics":[{"\#(repeated("x", 15 << 20))":1}]}"#
    },
  ]
}

/// Fields of protobuf, written by hand.
enum Wire {
  static func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] {
    var length: [UInt8] = []
    var rest = bytes.count
    while rest > 127 {
      length.append(UInt8(rest & 127) | 128)
      rest >>= 7
    }
    return [number << 3 | 2] + length + [UInt8(rest)] + bytes
  }

  /// An attribute whose value is a text, in the field `number` of what it belongs to.
  static func attribute(_ number: UInt8, _ key: String, _ value: String) -> [UInt8] {
    field(number, field(1, Array(key.utf8)) + field(2, field(1, Array(value.utf8))))
  }

  /// A metric called `m` whose data stand in the field `number`, in a scope.
  static func scope(_ number: UInt8, _ data: [UInt8]) -> [UInt8] {
    field(2, field(2, field(1, [0x6D]) + field(number, data)))
  }

  static func metric(_ number: UInt8, _ data: [UInt8]) -> [UInt8] { field(1, scope(number, data)) }
}

func repeated(_ bytes: [UInt8], _ count: Int) -> [UInt8] {
  var all: [UInt8] = []
  all.reserveCapacity(bytes.count * count)
  for _ in 0..<count { all += bytes }
  return all
}

extension [UInt8] {
  init(repeatingPair pair: (UInt8, UInt8), _ count: Int) {
    self = repeated([pair.0, pair.1], count)
  }
}
