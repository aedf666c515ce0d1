import Foundation
import Testing

@testable import Core

private func written(_ text: String, leavingOut names: Set<String> = []) throws -> String {
  try parse(text) { root in
    var writer = JSONFilteringWriter { key, _, place in names.contains(key.string) ? nil : place }
    writer.append(root)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

@Test(
  "compact JSON is the document without white space",
  arguments: [
    (
      #" {"a" : [ 1 , -2, 3.5 ], "b":{ }, "c": [ ], "d":{"e":null,"f":true,"g":false} } "#,
      #"{"a":[1,-2,3.5],"b":{},"c":[],"d":{"e":null,"f":true,"g":false}}"#
    ),
    (#"[[],[[]],{},[{}],""]"#, #"[[],[[]],{},[{}],""]"#),
    (#""a\/b\u00e9\u0001\"\\\n\t""#, #""a/bé\u0001\"\\\n\u0009""#),
    ("17", "17"),
    (
      "[18446744073709551615,-9223372036854775808,0.1,1e300]",
      "[18446744073709551615,-9223372036854775808,0.1,1e+300]"
    ),
  ])
func compact(text: String, expected: String) throws {
  #expect(try written(text) == expected)
}

@Test("Foundation reads compact JSON like the original document")
func foundationAgrees() throws {
  let text = #"{"z":[1.25,{"deep":[[{"x":"\ud83d\ude00 \u001f"}],5e-324]}],"a":{"b":9007199254740993}}"#
  let before = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary
  let after = try JSONSerialization.jsonObject(with: Data(written(text).utf8)) as? NSDictionary
  #expect(before == after && before != nil)
}

@Test("members are omitted at any depth with their content")
func leavingOut() throws {
  let text = #"{"secret":{"x":[1]},"a":[{"secret":1,"b":2},{"b":3,"secret":[]},{"secret":""}],"secret":0}"#
  #expect(try written(text, leavingOut: ["secret"]) == #"{"a":[{"b":2},{"b":3},{}]}"#)
}

@Test("added members come before an object's own")
func composed() throws {
  let text = #"{"begin":"x","element":{"a":1}}"#
  let found = try parse(text) { root in
    var writer = JSONFilteringWriter()
    let element = try root.object().required("element").object()
    writer.append([("begin", root.sole("begin")), ("end", nil)], then: element)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
  #expect(found == #"{"begin":"x","a":1}"#)
}

extension JSONValue {
  fileprivate func sole(_ key: StaticString) -> JSONValue? { (try? object())?[key] }
}

@Test("JSON of four thousand levels is written")
func deep() throws {
  let text = String(repeating: #"{"a":["#, count: 2000) + String(repeating: "]}", count: 2000)
  #expect(try written(text) == text)
}

@Test("a document that is nested too deeply is refused with the path")
func tooDeep() {
  let text = #"{"x":[0,{"a\"b":"# + String(repeating: "[", count: 9000) + String(repeating: "]", count: 9000) + "}]}"
  #expect {
    try parse(text) { _ in }
  } throws: { error in
    guard let error = error as? JSONError else { return false }
    return error.path.hasPrefix(#"x[1]["a\\\"b"][0][0]"#) && error.path.utf8.count < 420
  }
}

@Test("texts of every length, with an escape at every position, are read back")
func escapesAnywhere() throws {
  for count in 0...20 {
    for place in 0...count {
      for special in ["\"", "\\", "\n", "\u{1f}", "é", "\u{7f}"] {
        let text = String(repeating: "a", count: place) + special + String(repeating: "b", count: count - place)
        let json = try #require(String(data: JSONEncoder().encode([text]), encoding: .utf8))
        let decoded = try JSONDecoder().decode([String].self, from: Data(written(json).utf8))
        #expect(decoded == [text])
      }
    }
  }
}

@Test("a long text of escapes only is written whole")
func onlyEscapes() throws {
  let text = String(repeating: "\"\u{1}", count: 20_000)
  let json = try #require(String(data: JSONEncoder().encode([text, "end"]), encoding: .utf8))
  #expect(try JSONDecoder().decode([String].self, from: Data(written(json).utf8)) == [text, "end"])
}

@Test("integers of JSON are written digit by digit")
func integerDigits() throws {
  var numbers: [Int64] = [0, .min, .max]
  for power in 0..<19 {
    let ten = (0..<power).reduce(Int64(1)) { value, _ in value * 10 }
    numbers += [ten, ten - 1, -ten, 1 - ten]
  }
  for number in numbers { #expect(try written("[\(number)]") == "[\(number)]") }
  for number in [UInt64(Int64.max) + 1, 9_999_999_999_999_999_999, 10_000_000_000_000_000_000, .max] {
    #expect(try written("[\(number)]") == "[\(number)]")
  }
}
