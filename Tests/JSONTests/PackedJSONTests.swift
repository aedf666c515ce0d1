import Foundation
import TestSupport
import Testing

@testable import Core

private func packed(_ text: String, leavingOut names: Set<String> = []) throws -> PackedJSON {
  try parse(text) { root in PackedJSON(root) { key, _, place in names.contains(key.string) ? nil : place } }
}

/// The text of a document after it was packed.
private func written(_ text: String, leavingOut names: Set<String> = []) throws -> String {
  let packed = try packed(text, leavingOut: names)
  let written = try packed.text(limit: packed.textSize)
  #expect(written.count == packed.textSize && packed.bytes.count <= PackedJSON.largest(ofText: written.count))
  return String(decoding: written, as: UTF8.self)
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
    ("17", "17"), ("[0,63,64,-1,-64,1.0]", "[0,63,64,-1,-64,1.0]"),
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
    let element = try root.object().required("element").object()
    let packed = PackedJSON.hashing(element, after: [("begin", root.sole("begin")), ("end", nil)]) { $2 }.json
    return String(decoding: try packed.text(limit: packed.textSize), as: UTF8.self)
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

@Suite("Packed JSON")
struct PackedJSONTests {
  /// A call stack of `count` frames, each inside the frame that it called.
  private static func stack(_ count: Int) -> String {
    let frames = (0..<count).map { index in
      #"{"binaryUUID":"CDB53DDB-2337-4933-B62F-\#(100_000_000_000 + index % 3)","binaryName":"Shop\#(index % 3)","#
        + #""address":\#(4_300_000_000 + 977 * index),"subFrames":["#
    }
    return frames.joined() + String(repeating: "]}", count: count)
  }

  @Test("a call stack takes an eighth of its text")
  func small() throws {
    let text = Self.stack(200)
    #expect(try written(text) == text)
    #expect(try packed(text).bytes.count < text.utf8.count / 8)
  }

  @Test(
    "texts that look like addresses are read back",
    arguments: [
      "0x", "0x0", "0x1", "0x01", "0xabcdef", "0xABCDEF", "0xg", "0x1045a2f", "0x00000001045a2f10",
      "0x0000000000000000",
      "0xffffffffffffffff", "0x1ffffffffffffffff", "0x0001", "0X1", "0x1 ", "0x:", "0x/", "0x`",
    ])
  func addresses(text: String) throws { #expect(try written("[\"\(text)\"]") == "[\"\(text)\"]") }

  @Test("objects with and without the same keys are read back, also if members are left out")
  func keys() throws {
    let text = #"[{"a":1,"b":2},{"a":3,"b":4},{"b":5,"a":6},{},{"a":7},{"a":{"a":8,"b":9}},{},{"a":1,"a":2}]"#
    #expect(try written(text) == text)
    let rest = #"[{"a":1},{"a":3},{"a":6},{},{"a":7},{"a":{"a":8}},{},{"a":1,"a":2}]"#
    #expect(try written(text, leavingOut: ["b"]) == rest)
  }

  @Test("keys and texts beyond the first hundred, and texts that take each other's slots, are read back")
  func manyTexts() throws {
    var random = SeededRandom(seed: 5)
    for names in [3, 100, 127, 128, 129, 300, 5000] {
      let members = (0..<3 * names).map { _ in
        let (key, text) = (Int.random(in: 0..<names, using: &random), Int.random(in: 0..<names, using: &random))
        return #""key\#(key)":["\#(String(repeating: "x", count: text % 40))\#(text)"]"#
      }
      let text = "{" + members.joined(separator: ",") + "}"
      #expect(try written(text) == text)
    }
  }

  @Test("random documents are read back, and Foundation reads the same")
  func randomDocuments() throws {
    var random = SeededRandom(seed: 6)
    for _ in 0..<2000 {
      let text = Self.document(&random, depth: 4)
      let again = try written(text)
      let (before, after) = try (Self.object(text), Self.object(again))
      #expect(before == after, "\(text)")
      #expect(try written(again) == again)
    }
  }

  private static func object(_ text: String) throws -> NSArray {
    [try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)]
  }

  private static func document(_ random: inout SeededRandom, depth: Int) -> String {
    let words = [
      "", "a", "abc", "abcd", "sampleCount", "é\\n", "\\\"", "\\u0001", String(repeating: "long ", count: 9),
    ]
    func word() -> String { "\"" + (words.randomElement(using: &random) ?? "") + "\"" }
    switch Int.random(in: 0..<(depth > 0 ? 9 : 7), using: &random) {
    case 0: return "null"
    case 1: return "true"
    case 2: return "false"
    case 3: return String(Int64.random(in: -100...100, using: &random))
    case 4: return String(UInt64.random(in: 0...(.max), using: &random))
    case 5: return String(Double.random(in: -1e9...1e9, using: &random))
    case 6: return word()
    case 7: return "[" + (0..<3).map { _ in document(&random, depth: depth - 1) }.joined(separator: ",") + "]"
    default:
      // Foundation keeps one of several equal keys.
      let keys = Set((0..<3).map { _ in word() })
      return "{" + keys.sorted().map { $0 + ":" + document(&random, depth: depth - 1) }.joined(separator: ",") + "}"
    }
  }

  @Test("a member is kept or left out by its place and by whether it is an object, whatever came before")
  func selection() throws {
    let members = [#"{"x":1,"y":2}"#, #"{"x":{},"y":2}"#, #"{"x":[{"x":3}],"y":{"x":{"y":4}}}"#, #"{"y":1,"x":2}"#]
    var random = SeededRandom(seed: 8)
    let elements = (0..<400).map { _ in
      let name = ["first", "second", "third"].randomElement(using: &random) ?? ""
      return #"{"\#(name)":\#(members.randomElement(using: &random) ?? "")}"#
    }
    let text = "[" + elements.joined(separator: ",") + "]"
    let packed = try parse(text) { root in
      PackedJSON(root) { key, isObject, place in
        switch key {
        case "first": return 1
        case "second": return 2
        case "x": return place == 1 || (place == 2 && !isObject) ? nil : place
        default: return place == 2 && isObject ? nil : place
        }
      }
    }
    func kept(_ value: Any, _ place: Int) -> Any {
      if let elements = value as? [Any] { return elements.map { kept($0, place) } }
      guard let object = value as? [String: Any] else { return value }
      var rest: [String: Any] = [:]
      for (key, value) in object {
        let isObject = value is [String: Any]
        let next = key == "first" ? 1 : key == "second" ? 2 : place
        if key == "x", place == 1 || (place == 2 && !isObject) { continue }
        if key == "y" || key == "third", place == 2, isObject { continue }
        rest[key] = kept(value, next)
      }
      return rest
    }
    let expected = try kept(JSONSerialization.jsonObject(with: Data(text.utf8)), 0) as? NSArray
    let found = try JSONSerialization.jsonObject(with: Data(packed.text(limit: packed.textSize))) as? NSArray
    #expect(found == expected && found != nil)
  }

  @Test("the hash of an object that is packed is its content hash, also if members are left out")
  func hashes() throws {
    var random = SeededRandom(seed: 7)
    for _ in 0..<500 {
      let text = #"{"a":\#(Self.document(&random, depth: 4)),"abcd":\#(Self.document(&random, depth: 4))}"#
      try parse(text) { root in
        for left in ["", "abc", "abcd"] {
          let found = PackedJSON.hashing(try root.object(), after: []) { key, _, place in
            key.string == left ? nil : place
          }
          #expect(found.contentHash == root.contentHash(), "\(text)")
          let packed = PackedJSON(root) { key, _, place in key.string == left ? nil : place }
          #expect(found.json == packed)
        }
      }
    }
  }

  @Test("a text of JSON is accepted unchanged")
  func unpacked() throws {
    let text = PackedJSON(Array("{}".utf8))
    #expect(try text.textSize == 2 && text.text(limit: 2) == Array("{}".utf8))
    #expect(throws: DamagedBytes.self) { try text.text(limit: 1) }
  }

  @Test("damaged bytes cause neither a trap nor a longer text than was allowed")
  func damaged() throws {
    let whole = try packed(
      #"{"address":[1,-2,0.5,"a long text of more than thirty-one bytes",null,"address","address"],"a":{"a":"0xff"},"b":{"a":9}}"#
    )
    for length in whole.bytes.indices {
      #expect((try? PackedJSON(Array(whole.bytes[..<length])).text(limit: 200)) == nil || length == 0)
    }
    for index in whole.bytes.indices.dropFirst() {
      for value in UInt8.min...UInt8.max {
        var bytes = whole.bytes
        bytes[index] = value
        if let text = try? PackedJSON(bytes).text(limit: 200) { #expect(text.count <= 200) }
      }
    }
    var bytes = whole.bytes
    bytes[1] += 1
    #expect(throws: DamagedBytes.self) { try PackedJSON(bytes).text(limit: 1000) }
  }

  @Test("few bytes cannot become a text of gigabytes")
  func amplification() throws {
    var writer = ByteWriter()
    writer.byte(PackedJSON.mark)
    writer.count(200_000)
    writer.byte(PackedJSON.Token.array)
    writer.byte(PackedJSON.Token.text)
    writer.blob([UInt8](repeating: 97, count: 100_000))
    for _ in 0..<100_000 { writer.byte(PackedJSON.Token.near) }
    writer.byte(PackedJSON.Token.end)
    #expect(throws: DamagedBytes.self) { try PackedJSON(writer.bytes).text(limit: 1 << 30) }
  }

  @Test("arrays nested deeper than a document may be are refused")
  func depth() {
    let bytes = [PackedJSON.mark, 0xFF, 0xFF, 0x03] + [UInt8](repeating: PackedJSON.Token.array, count: 60_000)
    #expect(throws: DamagedBytes.self) { try PackedJSON(bytes).text(limit: 1 << 20) }
  }
}
