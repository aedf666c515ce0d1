import Testing

@testable import Core
@testable import Ingest

private func document(_ crashes: String, _ more: String = #""installation": "install-1""#) -> String {
  #"{"app": {"version": "4.2.0"}, \#(more), "crashes": [\#(crashes)]}"#
}

private let crash = #"""
  {"at": "2026-11-20T10:05:00Z", "session": "s1", "exception": "EXC_BAD_ACCESS", "code": 18446744073709551615,
   "signal": "SIGSEGV", "termination": "Namespace SIGNAL, Code 11", "reason": "card 4711",
   "threads": [
     {"frames": [{"binary": "libsystem", "offset": 7}]},
     {"crashed": true, "frames": [
       {"binary": "Shop", "uuid": "cdb53ddb-2337-4933-b62f-4356e6174af0", "offset": 16, "address": 4362076176,
        "function": "load()", "file": "Shop.swift", "line": 12},
       {"binary": "UIKitCore", "offset": 32}, {"address": 99}]},
     {}]}
  """#

@Test("a native crash is a diagnostic with its stacks, outermost frame first, and adds nothing else")
func nativeCrash() throws {
  let report = try #require(try decode(document(crash)).first)
  try #require(report.diagnostics.count == 1)
  let found = report.diagnostics[0]
  #expect(found.kind == .crash && found.session == "s1" && found.user == "install-1")
  #expect(found.time == Timestamp(iso: "2026-11-20T10:05:00Z").map { .instant($0) })
  #expect(
    found.exception
      == ExceptionDetails(
        type: 1, code: .max, signal: 11, name: "EXC_BAD_ACCESS", termination: "Namespace SIGNAL, Code 11"))
  #expect(found.calls.picture == [["libsystem+7"], ["?", "UIKitCore+32<0", "Shop+16<1"], []])
  #expect(found.calls.threads.map(\.isAttributed) == [false, true, false])
  #expect(found.calls.frames.last?.symbol == CallTree.Symbol(function: "load()", file: "Shop.swift", line: 12))
  #expect(found.calls.binaries.contains(CallTree.Binary(name: "Shop", uuid: "CDB53DDB23374933B62F4356E6174AF0")))
  #expect(try !found.body.json.contains("4711"))
  #expect(report.measurements.isEmpty && report.sessions.map(\.outcome) == [.crashed])
}

@Test("a native crash's text is kept if the app keeps it, and one stack may be alone")
func nativeCrashText() throws {
  let report = try #require(try decode(keepingText: document(crash)).first)
  #expect(report.diagnostics.first?.exception.reason == "card 4711")
  let single = try decode(
    document(#"{"signal": 6, "exception": "NSRangeException", "frames": [{"offset": 1}, {"offset": 2}]}"#))
  #expect(single.diagnostics.first?.calls.picture == [["?+2", "?+1<0"]])
  #expect(single.diagnostics.first?.calls.threads.map(\.isAttributed) == [true])
  #expect(single.diagnostics.first?.exception == ExceptionDetails(signal: 6, name: "NSRangeException"))
}

@Test("an equal crash is the same one, unless its installation or release differs or it has no time")
func nativeIdentity() throws {
  func identities(_ text: String, received: Timestamp = receiptTime) throws -> [UInt64] {
    try decode(text, received: received).diagnostics.map(\.identity)
  }
  let later = Timestamp(milliseconds: receiptTime.milliseconds + 1000)
  #expect(try identities(document(crash)) == identities(document(crash), received: later))
  #expect(try Set(identities(document("\(crash), \(crash)"))).count == 1)
  #expect(try identities(document(crash)) != identities(document(crash, #""installation": "install-2""#)))
  #expect(try identities(document(crash)) != identities(document(crash).replacing("4.2.0", with: "4.3.0")))
  let timeless = document(#"{"signal": 6}, {"signal": 6}"#)
  #expect(try Set(identities(timeless) + identities(timeless, received: later)).count == 4)
}

@Test(
  "a wrong type in a native crash is refused with its path",
  arguments: [
    (#"{"threads": [{"frames": [{"offset": "x"}]}]}"#, "crashes[0].threads[0].frames[0].offset"),
    (#"{"frames": [3]}"#, "crashes[0].frames[0]"), (#"{"signal": []}"#, "crashes[0].signal"),
    (#"{"exception": 3}"#, "crashes[0].exception"), (#"{"code": "x"}"#, "crashes[0].code"),
  ])
func nativeCrashTypes(crash: String, path: String) {
  #expect(failure(document(crash))?.path == path)
}
