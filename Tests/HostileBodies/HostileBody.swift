public import Ingest

/// A body that costs as much as the limits let it: for tests that measure it, and for the table of worst cases.
public struct HostileBody: Sendable {
  public let name: String
  public let format: PayloadFormat
  /// Whether some of it, at least, is kept; a body that is refused must be refused cheaply.
  public let isRead: Bool
  public let bytes: @Sendable () -> [UInt8]

  init(
    _ name: String, _ format: PayloadFormat = .sniffed, isRead: Bool = true, _ text: @escaping @Sendable () -> String
  ) {
    self.init(name, format, isRead: isRead, bytes: { Array(text().utf8) })
  }

  init(_ name: String, _ format: PayloadFormat, isRead: Bool = true, bytes: @escaping @Sendable () -> [UInt8]) {
    self.name = name
    self.format = format
    self.isRead = isRead
    self.bytes = bytes
  }

  /// What a body may be after decompression.
  public static let largest = 16 << 20

  public static let all: [HostileBody] = native + metricKit + sentry + otlp + appleReports
}

/// `count` elements, separated by commas, of which each may say its number.
func list(_ count: Int, _ element: (Int) -> String) -> String {
  var text = ""
  for number in 0..<count {
    if number > 0 { text += "," }
    text += element(number)
  }
  return text
}

/// As often as fits into a body of the largest size beside `rest` bytes.
func filling(_ element: String, beside rest: Int = 1_000) -> Int {
  (HostileBody.largest - rest) / (element.utf8.count + 1)
}

func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }
