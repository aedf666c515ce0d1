import Foundation
import Testing
import TestSupport

@testable import Core

/// Foundation's picture of a value, to hold against what Foundation's own parser makes of the same bytes.
private func picture(_ value: JSONValue) throws -> NSObject {
  switch value.kind {
  case .object:
    let members = try value.object().map { ($0.key.string, try picture($0.value)) }
    return NSDictionary(dictionary: Dictionary(members, uniquingKeysWith: { $1 }))
  case .array: return NSArray(array: try value.array().map(picture))
  case .string: return NSString(string: try value.text().string)
  case .integer, .double: return NSNumber(value: try value.number())
  case .boolean: return NSNumber(value: try value.boolean())
  case .null: return NSNull()
  }
}

func parse<Result>(
  _ text: String, with parser: JSONParser = JSONParser(), _ body: (JSONValue) throws -> Result
) throws -> Result {
  try Array(text.utf8).withUnsafeBytes { try parser.withDocument($0, body) }
}

private func failure(_ text: String, with parser: JSONParser = JSONParser()) -> JSONError? {
  do {
    _ = try parse(text, with: parser) { _ in }
    return nil
  } catch {
    return error as? JSONError
  }
}

@Test(
  "a JSON document is read as Foundation reads it",
  arguments: [
    #"{"a":[1,-2,3.5,1e3,{"b":null}],"":true,"c":false,"é":"\u00e9\ud83d\ude00\n\/"}"#,
    #"[[],{},[{}],"",0,-0.0,9007199254740993,1.7976931348623157e308]"#,
    #"{"a":{"a":{"a":[[[[1]]]]}},"b":[{"c":1},{"c":2}]}"#, " \n\t[ 1 , 2 ]\r\n", #""just text""#, "17",
  ])
func matchesFoundation(text: String) throws {
  let expected = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
  let found = try parse(text) { try picture($0) }
  #expect(found == expected as? NSObject)
}

@Test("integers keep all 64 bits, and larger ones become the nearest double")
func integers() throws {
  let text =
    "[9223372036854775807,18446744073709551615,-9223372036854775808,18446744073709551616,-9223372036854775809,5.0]"
  try parse(text) { root in
    let values = Array(try root.array())
    #expect(try values[0].integer() == Int.max)
    #expect(try values[1].unsignedInteger() == UInt64.max)
    #expect(try values[2].integer() == Int.min)
    #expect(try values[3].number() == 0x1p64)
    #expect(try values[4].number() == -0x1p63)
    #expect(try values[5].integer() == 5)
  }
  for (text, index) in [("[0,-1]", 1), ("[-9223372036854775808]", 0), ("[0.5]", 0), ("[-1.0]", 0)] {
    #expect(throws: JSONError.self, "\(text)") {
      try parse(text) { root in _ = try Array(root.array())[index].unsignedInteger() }
    }
  }
  #expect(throws: JSONError(.value, path: "[3]", "expected a 64-bit integer")) {
    try parse(text) { root in _ = try Array(root.array())[3].integer() }
  }
}

@Test("digits in strings and fractions stay unchanged if a large integer is rewritten")
func wideIntegersOnly() throws {
  let text =
    #"{"99999999999999999999\"1":"99999999999999999999","n":99999999999999999999,"f":0.99999999999999999999,"e":1e-2}"#
  try parse(text) { root in
    let object = try root.object()
    #expect(object.map(\.key.string) == [#"99999999999999999999"1"#, "n", "f", "e"])
    #expect(try object.map { $0.value }[0].text().string == "99999999999999999999")
    #expect(try object["n"]?.number() == 1e20)
    #expect(try object["f"]?.number() == 1)
    #expect(try object["e"]?.number() == 0.01)
  }
}

@Test(
  "a syntax error in JSON gives the byte",
  arguments: [
    (#"{"a":1} x"#, "not JSON at byte 8: unexpected text after the document"),
    (#"{"a" 1}"#, "not JSON at byte 5: expected a colon after the key"),
    (#"{"a":NaN}"#, "not JSON at byte 5: expected a value"),
    (#"{"a":1,}"#, "not JSON at byte 7: expected a key in quotes"),
    ("[1 2]", "not JSON at byte 3: expected a comma or ]"),
    ("[01]", "not JSON at byte 1: not a valid JSON number"),
    ("[1e400]", "not JSON at byte 1: the number is too large"), ("[nul]", "not JSON at byte 1: expected null"),
    (#"{"a":"b"#, "not JSON at byte 5: the string that starts here has no closing quote"),
    (#"["\x"]"#, "not JSON at byte 2: unknown escape sequence"),
    ("{\"a\":[", "not JSON at byte 6: the document ends too early"),
  ])
func syntax(text: String, problem: String) {
  #expect(failure(text) == JSONError(.syntax, problem))
}

@Test("an empty body and a broken one give different JSON errors", arguments: ["", "  \n"])
func empty(text: String) {
  #expect(failure(text)?.kind == .empty)
}

@Test("invalid UTF-8 in JSON is refused with its position")
func invalidUTF8() {
  let bytes = Array(#"{"a":""#.utf8) + [0xC3, 0xA9, 0xED, 0xA0, 0x80] + Array(#""}"#.utf8)
  #expect(throws: JSONError(.syntax, "not UTF-8 at byte 8")) {
    try bytes.withUnsafeBytes { try JSONParser().withDocument($0) { _ in } }
  }
}

@Test("nesting is read up to the limit and refused beyond it")
func depth() {
  func nested(_ levels: Int) -> String {
    String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
  }
  #expect(failure(nested(4000)) == nil)
  #expect(failure(nested(9000))?.problem == "nested deeper than 8192 levels")
  let path = String(repeating: "[0]", count: 49)
  #expect(
    failure(nested(100), with: JSONParser(maximumDepth: 50))
      == JSONError(.syntax, path: path, "nested deeper than 50 levels"))
}

@Test("a JSON error has the key path of its value")
func paths() throws {
  let text = #"{"a":{"histogramValue":{"3":{"count":"x"},"a b\n":[1,{"c":true}]}},"z":1}"#
  try parse(text) { root in
    let histogram = try root.object().required("a").object().required("histogramValue").object()
    let deep = Array(try histogram.required("a b\n").array())[1]
    #expect(try deep.object().required("c").path == #"a.histogramValue["a b\n"][1].c"#)
    #expect(root.path == "")
  }
  func histogram(_ root: JSONValue) throws -> JSONObject {
    try root.object().required("a").object().required("histogramValue").object()
  }
  #expect(throws: JSONError(.type, path: #"a.histogramValue["3"].count"#, "expected an integer, found a string")) {
    try parse(text) { root in _ = try histogram(root).required("3").object().required("count").integer() }
  }
  #expect(throws: JSONError(.missing, path: #"a.histogramValue["a b\n"][1].d"#, "is missing")) {
    try parse(text) { root in _ = try Array(histogram(root).required("a b\n").array())[1].object().required("d") }
  }
}

@Test("errors caught inside a document do not search it for their paths")
func caughtErrors() throws {
  func cost(_ count: Int) throws -> Double {
    let text = "[" + Array(repeating: "null", count: count).joined(separator: ",") + "]"
    var caught = 0
    let cost = try processorTime {
      caught = try parse(text) { root in try root.array().count { (try? $0.object()) == nil } }
    }
    #expect(caught == count)
    return cost
  }
  // Eight times as many, each of which would walk eight times as far.
  #expect(try cost(80_000) < 24 * cost(10_000))
}

@Test("an error in a document inside a string is not searched for in the outer document")
func innerErrors() throws {
  let outer = #"[0, "[[], {\"a\": 1}]"]"#
  #expect(throws: JSONError(.type, path: "[1].a", "expected a string, found an integer")) {
    try parse(outer) { root in
      let text = try Array(root.array())[1].text()
      try JSONParser().withDocument(UnsafeRawBufferPointer(text.bytes)) { inner in
        _ = try Array(inner.array())[1].object().required("a").text()
      }
    }
  }
}

@Test("a document with more values than the parser allows is refused, without counting commas in strings")
func mostValues() throws {
  let parser = JSONParser(mostValues: 100)
  func list(_ count: Int, of element: String) -> String {
    "[" + Array(repeating: element, count: count).joined(separator: ",") + "]"
  }
  #expect(try parse(list(100, of: "1"), with: parser) { try $0.array().count { _ in true } } == 100)
  #expect(failure(list(101, of: "1"), with: parser)?.kind == .tooLarge)
  #expect(failure(list(51, of: "[]"), with: parser)?.kind == .tooLarge)
  #expect(try parse(list(90, of: #"",,:[{\\\",""#), with: parser) { try $0.array().count { _ in true } } == 90)
}

@Test("a very deep or long key path in an error is cut")
func longPaths() throws {
  let key = String(repeating: "k", count: 3000)
  let text = String(repeating: #"{"\#(key)":"#, count: 50) + "1" + String(repeating: "}", count: 50)
  let path = try parse(text) { root in
    var value = root
    while value.kind == .object { value = try value.object().map(\.value)[0] }
    return value.path
  }
  #expect(path.utf8.count < 600)
}

@Test("a parser works after failures and after documents too large to keep memory for")
func reuse() throws {
  let parser = JSONParser(keptMemory: 4096)
  let large = "[" + Array(repeating: "1", count: 100_000).joined(separator: ",") + "]"
  for _ in 0..<3 {
    #expect(failure("{", with: parser)?.kind == .syntax)
    #expect(try parse(large, with: parser) { try $0.array().reduce(0) { $0 + (try $1.integer()) } } == 100_000)
    #expect(try parse("[7]", with: parser) { try $0.array().map { try $0.integer() } } == [7])
  }
}

@Test("consecutive documents are separated by their brackets")
func consecutiveDocuments() {
  let text = " {\"a\":\"}\\\"{\"}\n[1,[2]]{\"b\":{}}\n nonsense here\n{"
  var found: [String] = []
  Array(text.utf8).withUnsafeBytes { bytes in
    var at = 0
    while let range = JSONDocuments.next(in: bytes, from: at) {
      found.append(String(decoding: bytes[range], as: UTF8.self))
      at = range.upperBound
    }
  }
  #expect(found == ["{\"a\":\"}\\\"{\"}", "[1,[2]]", "{\"b\":{}}", "nonsense here", "{"])
}

@Test("documents of random brackets, quotes and escapes end where a reader of single bytes ends them")
func endsOfDocuments() {
  let alphabet = Array("{}[]\"\\ax\u{2}:, \n".utf8) + [0xC3, 0xA9]
  var random = SeededRandom(seed: 12)
  for _ in 0..<20_000 {
    let count = random.index(below: 60)
    let bytes = [UInt8(ascii: "{")] + (0..<count).map { _ in alphabet[random.index(below: alphabet.count)] }
    let found = bytes.withUnsafeBytes { JSONDocuments.next(in: $0, from: 0) }
    #expect(found == 0..<end(of: bytes), "\(bytes)")
  }
}

/// The end of the object with which the bytes begin.
private func end(of bytes: [UInt8]) -> Int {
  var (depth, isInText, isEscaped) = (0, false, false)
  for (index, byte) in bytes.enumerated() {
    if isEscaped {
      isEscaped = false
    } else if isInText {
      isEscaped = byte == UInt8(ascii: "\\")
      isInText = byte != UInt8(ascii: "\"")
    } else if byte == UInt8(ascii: "\"") {
      isInText = true
    } else {
      if "{[".utf8.contains(byte) { depth += 1 }
      if "}]".utf8.contains(byte) { depth -= 1 }
      if depth == 0 { return index + 1 }
    }
  }
  return bytes.count
}
