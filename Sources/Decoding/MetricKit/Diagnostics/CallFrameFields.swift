internal import JSON
internal import Telemetry

/// The members of one frame. None is required.
struct CallFrameFields {
  private(set) var uuid: JSONText?
  private(set) var name: JSONText?
  private(set) var address: UInt64?
  private(set) var samples = 1
  private(set) var symbol: CallTree.Symbol?
  private(set) var subFrames: JSONValue?
  private var position: UInt64?

  mutating func read(_ key: JSONText, _ value: JSONValue) throws {
    switch key {
    case "binaryUUID": uuid = try value.text()
    case "binaryName": name = try value.text()
    case "address": address = try Self.whole(value)
    case "offsetIntoBinaryTextSegment", "offsetAddress": position = try Self.whole(value)
    case "sampleCount": samples = Int(clamping: min(try Self.whole(value) ?? 1, UInt64(Limits.samples)))
    case "subFrames": subFrames = value
    case "symbolInfo": try readSymbol(value)
    default: break
    }
  }

  /// Bytes from the start of the binary.
  ///
  /// iOS 14 and 15 write the binary's load address here instead, which lies beyond 4 GB, less than 4 GB before the frame.
  var offset: UInt64? {
    let fourGigabytes: UInt64 = 1 << 32
    guard let position else { return nil }
    guard let address else { return position < fourGigabytes ? position : nil }
    if position > address { return nil }
    return position >= fourGigabytes && address - position < fourGigabytes ? address - position : position
  }

  /// Names that a client looked up on the device, as MeterReporter does: a list, of which the first is the innermost.
  private mutating func readSymbol(_ value: JSONValue) throws {
    let first = value.kind == .array ? try value.array().first { _ in true } : value
    guard let first, first.kind == .object else { return }
    let info = try first.object()
    guard let name = info["demangledSymbol"] ?? info["symbol"], let text = name.textOrNil, text.count > 0 else {
      return
    }
    let line = info["line"]?.integerOrNil
    symbol = CallTree.Symbol(
      function: text.kept, file: (try? info["file"]?.text().kept) ?? "", line: line.flatMap { $0 > 0 ? $0 : nil })
  }

  /// Nil for a negative number or one with a fraction.
  private static func whole(_ value: JSONValue) throws -> UInt64? {
    guard value.kind == .integer || value.kind == .double else { throw value.mismatch("an integer") }
    return value.unsignedIntegerOrNil
  }
}
