import Core
import TestSupport

/// A labelled crash as MetricKit's JSON of a given size: the stack that identifies it, and other threads as padding.
public struct CrashPayload: Sendable {
  private let fillings: [String]

  /// `size`: the approximate bytes of a payload.
  public init(size: Int) {
    var random = SeededRandom(seed: 99)
    fillings = (0..<16).map { _ in Self.filling(size: size - 4_000, &random) }
  }

  /// The payload of a sample in one minute of a day. `number` makes it unique.
  public func json(_ sample: LabelledSet.Sample, day: String, number: Int) -> [UInt8] {
    let facts = [
      sample.exception.type.map { "\"exceptionType\":\($0)" }, sample.exception.code.map { "\"exceptionCode\":\($0)" },
      sample.exception.signal.map { "\"signal\":\($0)" },
      sample.exception.termination.map { "\"terminationReason\":\"\($0)\"" },
    ].compactMap { $0 }
    let time = "\(day) \(10 + number / 60 % 13):\(10 + number % 50):\(10 + number / 780 % 50)"
    let text = """
      {"timeStampBegin":"\(time)","timeStampEnd":"\(time)","crashDiagnostics":[{"version":"1.0.0",\
      "diagnosticMetaData":{"appVersion":"4.\(sample.build).0","appBuildVersion":"\(1200 + sample.build)",\
      "osVersion":"\(sample.system) (22G100)","deviceType":"\(sample.model)","regionFormat":"DE","pid":\(number),\
      "platformArchitecture":"arm64e","bundleIdentifier":"com.example.shop",\(facts.joined(separator: ","))},\
      "callStackTree":{"callStackPerThread":true,"callStacks":[{"threadAttributed":true,"callStackRootFrames":[\
      \(Self.chain(sample.calls))]},\(fillings[number % fillings.count])]}}]}
      """
    return Array(text.utf8)
  }

  /// MetricKit writes crashes innermost frame first.
  private static func chain(_ calls: CallTree) -> String {
    var text = ""
    for frame in calls.frames {
      let binary = calls.binaries[frame.binary]
      text = node(binary.name, binary.uuid, frame.offset ?? 0, text)
    }
    return text
  }

  private static func node(_ name: String, _ uuid: String, _ offset: UInt64, _ inner: String) -> String {
    let frames = inner.isEmpty ? "" : ",\n  \"subFrames\" : [ \(inner) ]"
    return """
      {
        "binaryUUID" : "\(uuid)",
        "offsetIntoBinaryTextSegment" : \(offset),
        "sampleCount" : 1,
        "address" : \(4_300_000_000 + offset),
        "binaryName" : "\(name)"\(frames)
      }
      """
  }

  private static func filling(size: Int, _ random: inout SeededRandom) -> String {
    let names = ["libsystem_kernel.dylib", "libdispatch.dylib", "CoreFoundation", "Foundation", "UIKitCore", "Tracker"]
    var threads: [String] = []
    var bytes = 0
    while bytes < size {
      var stack = ""
      for _ in 0..<(8 + random.below(24)) {
        let index = random.below(names.count)
        stack = node(names[index], "57000000000000000000000000000\(100 + index)", random.next() % 0x80_0000, stack)
      }
      let thread = "{\"threadAttributed\":false,\"callStackRootFrames\":[\(stack)]}"
      bytes += thread.utf8.count
      threads.append(thread)
    }
    return threads.joined(separator: ",")
  }
}
