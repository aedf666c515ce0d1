@testable import Core
@testable import Ingest

/// One frame of a call stack, with the frames in it.
func frame(_ name: String, _ offset: Int = 16, samples: Int = 1, _ inner: [String] = []) -> String {
  let below = inner.isEmpty ? "" : #", "subFrames": [\#(inner.joined(separator: ", "))]"#
  return #"{"binaryName": "\#(name)", "binaryUUID": "\#(uuid(name))", "address": \#(0x1_0400_0000 + offset), "#
    + #""offsetIntoBinaryTextSegment": \#(offset), "sampleCount": \#(samples)\#(below)}"#
}

/// A made-up id that belongs to a binary's name: its first bytes in hexadecimal.
func uuid(_ name: String) -> String {
  let digits = (name.utf8.flatMap { Array("\($0 / 16 % 10)\($0 % 10)".utf8) } + Array(repeating: 48, count: 32)).prefix(
    32)
  let text = Array(String(decoding: digits, as: UTF8.self))
  return [text[0..<8], text[8..<12], text[12..<16], text[16..<20], text[20..<32]].map { String($0) }
    .joined(separator: "-")
}

/// A tree of stacks, each a list of its root frames.
func tree(_ stacks: [[String]], perThread: Bool = true, attributed: Int? = 0) -> String {
  let list = stacks.enumerated().map { index, roots in
    let flag = attributed.map { #""threadAttributed": \#($0 == index), "# } ?? ""
    return #"{\#(flag)"callStackRootFrames": [\#(roots.joined(separator: ", "))]}"#
  }
  return #"{"callStacks": [\#(list.joined(separator: ", "))], "callStackPerThread": \#(perThread)}"#
}

/// An element of a payload's list.
func element(_ metaData: String, _ tree: String, _ more: String = "") -> String {
  let origin =
    #""appVersion": "4.2.0", "appBuildVersion": "1234", "osVersion": "iPhone OS 18.6.2 (22G100)", "#
    + #""deviceType": "iPhone15,2", "bundleIdentifier": "com.example.shop""#
  let metaData = metaData.isEmpty ? origin : "\(origin), \(metaData)"
  return #"{"version": "1.0.0", "callStackTree": \#(tree), "diagnosticMetaData": {\#(metaData)}\#(more)}"#
}

let crashElement = element(
  #""exceptionType": 1, "exceptionCode": 18446744073709551615, "signal": 11, "terminationReason": "Namespace SIGNAL, Code 11", "pid": 7"#,
  tree([[frame("Shop", 16, [frame("UIKitCore", 32, [frame("dyld", 48)])])], [frame("libsystem", 64)], []]))
let hangElement = element(
  #""hangDuration": "9 sec""#,
  tree(
    [
      [frame("dyld", 48, samples: 20, [frame("Shop", 16, samples: 12), frame("Shop", 24, samples: 8)])],
      [frame("libsystem", 64)],
    ],
    attributed: 1), #", "hangType": "Main Runloop Hang""#)
let cpuElement = element(
  #""totalCPUTime": "20 sec", "totalSampledTime": "25 sec""#,
  tree(
    [[frame("libsystem", 64, samples: 3, [frame("Shop", 16)]), frame("Shop", 32)]], perThread: false, attributed: nil))
let diskElement = element(
  #""writesCaused": "2,000 byte""#,
  tree([[frame("libsystem", 64, [frame("Shop", 16)])]], perThread: false, attributed: nil))
let launchElement = element(#""launchDuration": "20000 ms""#, tree([[frame("dyld", 48, [frame("Shop", 16)])]]))
let memoryElement = element("", tree([[frame("libsystem", 64, [frame("Shop", 16)])]]))

/// Everything that iOS 14 to 26 can report at once.
let diagnosticPayload = #"""
  {
    "timeStampBegin" : "2026-11-18 08:16:00", "timeStampEnd" : "2026-11-18 08:16:00",
    "crashDiagnostics" : [ \#(crashElement) ], "hangDiagnostics" : [ \#(hangElement) ],
    "cpuExceptionDiagnostics" : [ \#(cpuElement) ], "diskWriteExceptionDiagnostics" : [ \#(diskElement) ],
    "appLaunchDiagnostics" : [ \#(launchElement) ], "memoryExceptionDiagnostics" : [ \#(memoryElement) ]
  }
  """#

extension [Report] {
  /// The diagnostics of all, in order.
  var diagnostics: [Diagnostic] { flatMap(\.diagnostics) }
}

extension CallTree {
  /// Each thread's frames as `binary+offset`, outermost first, with the place of the caller behind `<`.
  var picture: [[String]] {
    threads.map { thread in
      thread.range.map { index in
        let frame = frames[index]
        let name = frame.binary < 0 ? "?" : binaries[frame.binary].name
        let offset = frame.offset.map { "+\($0)" } ?? ""
        return name + offset + (frame.caller < 0 ? "" : "<\(frame.caller - thread.range.lowerBound)")
      }
    }
  }
}

func decode(keepingText text: String) throws -> [Report] {
  try Array(text.utf8).withUnsafeBytes {
    try PayloadDecoder().decode($0, DecodingContext(received: receiptTime, keepsExceptionText: true)).reports
  }
}
