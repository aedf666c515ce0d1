import Testing

@testable import Core
@testable import Ingest

private func calls(_ tree: String, _ key: String = "crashDiagnostics", more: String = "") throws -> CallTree {
  let text = #"{"\#(key)": [{"callStackTree": \#(tree)\#(more)}]}"#
  return try #require(try decode(text).diagnostics.first).calls
}

private func sole(_ members: String) throws -> CallTree.Frame {
  try #require(try calls(#"{"callStacks": [{"callStackRootFrames": [{\#(members)}]}]}"#).frames.first)
}

@Test(
  "a frame's offset is an offset, the load address as in iOS 14 and 15, or invalid",
  arguments: [
    // From iOS 16 on; Apple's simulated frame; load addresses of an app and of a library.
    (#""address": 4310988076, "offsetIntoBinaryTextSegment": 46380"#, UInt64?(46380)),
    (#""address": 74565, "offsetIntoBinaryTextSegment": 123"#, 123),
    (#""address": 4331327932, "offsetIntoBinaryTextSegment": 4331307008"#, 20924),
    (#""address": 6795285912, "offsetIntoBinaryTextSegment": 6795280384"#, 5528),
    (#""address": 4294967296, "offsetIntoBinaryTextSegment": 4294967296"#, 0),
    (#""address": 5, "offsetIntoBinaryTextSegment": 6"#, nil),
    // Four gigabytes on, it cannot be the start of the binary.
    (#""address": 8589934592, "offsetIntoBinaryTextSegment": 4294967296"#, 4_294_967_296),
    (#""offsetIntoBinaryTextSegment": 46380"#, 46380), (#""offsetIntoBinaryTextSegment": 4331307008"#, nil),
    (#""address": 4310988076"#, nil), ("", nil),
    (#""address": 18446744073709551615, "offsetIntoBinaryTextSegment": -1"#, nil),
  ])
func offsets(members: String, expected: UInt64?) throws {
  #expect(try sole(members).offset == expected)
}

@Test("a frame of a call tree may omit every member")
func bareFrame() throws {
  #expect(try sole("") == CallTree.Frame(caller: -1))
  #expect(try sole(#""address": 1.5, "sampleCount": -3, "binaryName": null"#) == CallTree.Frame(caller: -1))
  #expect(try sole(#""address": 18446744073709551615"#).address == .max)
  #expect(try sole(#""sampleCount": 20"#).samples == 20)
}

@Test("frames of one binary share it, whichever of them names it")
func binaries() throws {
  let tree = #"""
    {"callStacks": [{"callStackRootFrames": [
      {"binaryUUID": "cdb53ddb-2337-4933-b62f-4356e6174af0"},
      {"binaryUUID": "CDB53DDB23374933B62F4356E6174AF0", "binaryName": "Shop"}, {"binaryName": "dyld"},
      {"binaryName": "dyld"}, {"binaryUUID": "none of these"}]}]}
    """#
  let calls = try calls(tree)
  #expect(
    calls.binaries == [
      CallTree.Binary(name: "Shop", uuid: "CDB53DDB23374933B62F4356E6174AF0"), CallTree.Binary(name: "dyld", uuid: ""),
    ])
  #expect(calls.frames.map(\.binary) == [0, 0, 1, 1, -1])
}

@Test("a crash thread with a frame that called several is not a chain, and stays unchanged")
func branchedCrash() throws {
  let tree = tree([[frame("A", 1, [frame("B", 2), frame("C", 3)])], [frame("D", 4, [frame("E", 5)])]])
  #expect(try calls(tree).picture == [["A+1", "B+2<0", "C+3<0"], ["E+5", "D+4<0"]])
}

@Test("several chains in one thread of a crash are each reversed")
func severalChains() throws {
  let tree = tree([[frame("A", 1, [frame("B", 2)]), frame("C", 3), frame("D", 4, [frame("E", 5)])]])
  #expect(try calls(tree).picture == [["B+2", "A+1<0", "C+3", "E+5", "D+4<3"]])
}

@Test("a plain list of frames is innermost first for every kind of diagnostic")
func lists() throws {
  let tree = #"""
    {"callStacks": [{"threadAttributed": true, "callStackFrames": [
      {"binaryName": "A", "offsetAddress": 1}, {"binaryName": "B", "offsetAddress": 2}]}]}
    """#
  for key in ["crashDiagnostics", "hangDiagnostics"] {
    #expect(try calls(tree, key).picture == [["B+2", "A+1<0"]])
  }
}

@Test("the attributed thread is the flagged one, or the first for a hang of the main run loop")
func attributedThreads() throws {
  func flags(_ key: String, _ attributed: Int?, stacks: Int = 3, _ more: String = "") throws -> [Bool] {
    let roots = (0..<stacks).map { [frame("A", $0)] }
    return try calls(tree(roots, attributed: attributed), key, more: more).threads.map(\.isAttributed)
  }
  #expect(try flags("crashDiagnostics", 1) == [false, true, false])
  #expect(try flags("crashDiagnostics", nil) == [false, false, false])
  #expect(try flags("hangDiagnostics", 2, #", "hangType": "Main Runloop Hang""#) == [true, false, false])
  #expect(try flags("hangDiagnostics", 2) == [true, false, false])
  #expect(try flags("hangDiagnostics", 2, #", "hangType": "Compositor Client Hang""#) == [false, false, true])
  #expect(try flags("cpuExceptionDiagnostics", nil, stacks: 1) == [true])
}

@Test("two thousand nested frames, which are four thousand levels of JSON, are read")
func deepTrees() throws {
  let count = 4000
  let frames =
    (0..<count).map { #"{"address": \#($0), "subFrames": ["# }.joined() + String(repeating: "]}", count: count)
  let text = #"{"callStacks": [{"callStackRootFrames": [\#(frames)]}]}"#
  for key in ["crashDiagnostics", "hangDiagnostics"] {
    let diagnostic = try #require(try decode(#"{"\#(key)": [{"callStackTree": \#(text)}]}"#).diagnostics.first)
    let addresses = diagnostic.calls.frames.map { Int($0.address ?? 0) }
    #expect(addresses == (key == "crashDiagnostics" ? (0..<count).reversed() : Array(0..<count)))
    #expect(diagnostic.calls.frames.map(\.caller) == Array(-1..<(count - 1)))
    #expect(diagnostic.body.textSize > frames.utf8.count / 2)
  }
}

@Test("frames beyond the parser's depth are refused with the path to them")
func tooDeepTrees() {
  let text =
    #"{"callStacks": [{"callStackRootFrames": ["# + String(repeating: #"{"subFrames": ["#, count: 5000)
    + String(repeating: "]}", count: 5000) + "]}]}"
  let found = failure(text)
  #expect(found?.reason == .syntax)
  #expect(found?.path.hasPrefix("callStacks[0].callStackRootFrames[0].subFrames[0]") == true)
}

@Test("more frames than any device writes are refused with the path of the first one beyond the limit")
func tooManyFrames() {
  let stack = #"{"callStackRootFrames": [\#(String(repeating: "{},", count: 60_000)){}]}"#
  let found = failure(#"{"callStacks": [\#(stack), \#(stack)]}"#)
  #expect(found?.path == "callStacks[1].callStackRootFrames[39999]" && found?.reason == .value)
  let empty = #"{"callStacks": [\#(String(repeating: "{},", count: 100_000)){}]}"#
  #expect(failure(empty)?.path == "callStacks[100000]")
  let elements = #"{"crashDiagnostics": [\#(String(repeating: "{},", count: 2_000)){}]}"#
  #expect(failure(elements)?.path == "crashDiagnostics[2000]")
}

@Test("names that a client symbolicated on the device are kept")
func symbols() throws {
  let info =
    #""symbolInfo": [{"symbol": "$s4Shop4loadyyF", "demangledSymbol": "Shop.load()", "offset": 3, "file": "Shop.swift", "line": 12}, {"symbol": "x"}]"#
  #expect(try sole(info).symbol == CallTree.Symbol(function: "Shop.load()", file: "Shop.swift", line: 12))
  #expect(try sole(#""symbolInfo": [{"symbol": "main"}]"#).symbol == CallTree.Symbol(function: "main"))
  #expect(try sole(#""symbolInfo": []"#).symbol == nil)
  // Lines are counted from 1: 0 is how a compiler marks code without one.
  for (written, line) in [("1", 1), ("0", nil), ("-4", nil), ("1.5", nil)] as [(String, Int?)] {
    #expect(try sole(#""symbolInfo": [{"symbol": "main", "line": \#(written)}]"#).symbol?.line == line, "\(written)")
  }
}

@Test("a call tree that a client wrote into a string is read")
func treeAsText() throws {
  let text = tree([[frame("A", 1, [frame("B", 2)])]]).replacing("\"", with: "\\\"")
  #expect(try calls("\"\(text)\"").picture == [["B+2", "A+1<0"]])
  #expect(failure(#"{"callStackTree": "{\"callStacks\": [3]}"}"#)?.path == "callStackTree.callStacks[0]")
  #expect(failure(#"{"callStackTree": "\"x\""}"#) != nil)
}

@Test(
  "a wrong type in a call tree is refused with its path",
  arguments: [
    (#"{"callStacks": {}}"#, "callStacks"),
    (#"{"callStacks": [{"callStackRootFrames": [3]}]}"#, "callStacks[0].callStackRootFrames[0]"),
    (
      #"{"callStacks": [{"callStackRootFrames": [{"address": "0x1"}]}]}"#,
      "callStacks[0].callStackRootFrames[0].address"
    ),
    (
      #"{"callStacks": [{"callStackRootFrames": [{"subFrames": [{"subFrames": {}}]}]}]}"#,
      "callStacks[0].callStackRootFrames[0].subFrames[0].subFrames"
    ),
    (#"{"crashDiagnostics": [{"diagnosticMetaData": 3}]}"#, "crashDiagnostics[0].diagnosticMetaData"),
  ])
func wrongTypes(text: String, path: String) {
  #expect(failure(text)?.path == path && failure(text)?.reason == .type)
}

@Test("a crash is recognised even if its signal is written as a name")
func namedSignal() throws {
  let text = #"{"crashDiagnostics": [{"diagnosticMetaData": {"signal": "SIGSEGV", "exceptionType": 1}}]}"#
  let crash = try #require(try decode(text).first?.diagnostics.first)
  #expect(crash.kind == .crash && crash.exception.signal == nil && crash.exception.type == 1)
}

@Test("diagnostics of an unknown kind are counted as left out")
func unknownKinds() throws {
  let texts = [
    #"{"timeStampBegin": "2026-11-18 00:00:00", "batteryDiagnostics": [{}, {}]}"#,
    #"{"timeStampBegin": "2026-11-18 00:00:00", "crashDiagnostics": [{}], "batteryDiagnostics": [{}, {}]}"#,
    #"{"timeRange": {"begin": 1, "end": 2}, "batteryDiagnostic": {"callStackTree": {"callStackThreads": []}}}"#,
  ]
  #expect(try texts.map { try decode($0).map(\.rejectedSamples).reduce(0, +) } == [2, 2, 1])
}

@Test("a binary whose name is another's UUID remains another binary")
func nameLikeUUID() throws {
  let id = "CDB53DDB23374933B62F4356E6174AF0"
  let frames = #"{"binaryName": "\#(id)"}, {"binaryUUID": "\#(id)", "binaryName": "\#(id)"}, {"binaryUUID": "\#(id)"}"#
  let tree = try calls(#"{"callStacks": [{"callStackRootFrames": [\#(frames)]}]}"#)
  #expect(tree.binaries.map(\.uuid) == ["", id] && tree.binaries.map(\.name) == [id, id])
  #expect(tree.frames.map(\.binary).sorted() == [0, 1, 1])
}
