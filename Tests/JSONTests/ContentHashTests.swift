import Testing

@testable import Core

private func hash(_ text: String, seed: UInt64 = 0) throws -> UInt64 {
  try parse(text) { $0.contentHash(seed: seed) }
}

@Test(
  "a content hash ignores the order of members and the notation",
  arguments: [
    (#"{"a":1,"b":[{"c":2,"d":"x/y"}]}"#, #"{ "b" : [ { "d" : "x\/y", "c" : 2.0 } ], "a" : 1e0 }"#),
    (#"{"é":"\u00e9"}"#, "{\"\\u00e9\":\"é\"}"), ("18446744073709551615", " 18446744073709551615 "),
    (#"{"a":{"x":1,"y":2},"b":{"x":3,"y":4}}"#, #"{"b":{"y":4,"x":3},"a":{"y":2,"x":1}}"#),
  ])
func alike(one: String, other: String) throws {
  #expect(try hash(one) == hash(other))
}

@Test("different contents have different hashes")
func different() throws {
  let texts = [
    "{}", "[]", "null", "true", "false", "0", "1", "-1", "0.5", #""""#, #""1""#, "[1]", "[[]]", "[{}]", "[1,2]",
    "[2,1]",
    #"{"a":1}"#, #"{"a":2}"#, #"{"b":1}"#, #"{"a":{"b":1}}"#, #"{"a":{"a":1}}"#, #"{"a":1,"b":2}"#, #"{"a":2,"b":1}"#,
    #"["ab","c"]"#, #"["a","bc"]"#, #"["abcdefgh"]"#, #"["abcdefgh\u0000"]"#, #"[[1],2]"#, #"[1,[2]]"#,
    #"{"a":1,"a":1}"#, #"{"1":"a"}"#, "18446744073709551615", "[null]", "[null,null]",
  ]
  #expect(Set(try texts.map { try hash($0) }).count == texts.count)
  #expect(try hash("1", seed: 1) != hash("1", seed: 2))
}

@Test("texts that differ in one byte, or in length, have different hashes")
func everyLength() throws {
  var texts: [String] = []
  for count in 0...40 {
    let text = [UInt8](repeating: 97, count: count)
    texts.append(String(decoding: text, as: UTF8.self))
    for place in 0..<count {
      var other = text
      other[place] = 98
      texts.append(String(decoding: other, as: UTF8.self))
    }
  }
  #expect(Set(try texts.map { try hash("\"\($0)\"") }).count == texts.count)
}

// The number comes from an implementation in Python.
@Test("the content hash is the same in every process")
func stable() throws {
  #expect(try hash(#"{"crash":[1,"two",null,{"three":3.25}],"b":true}"#) == 0x48ED_AB5D_8E32_5CED)
}

@Test("two thousand nested objects and arrays are hashed")
func deepHash() throws {
  func nested(_ leaf: String) -> String {
    String(repeating: #"{"a":["#, count: 2000) + leaf + String(repeating: "]}", count: 2000)
  }
  #expect(try hash(nested("1")) != hash(nested("2")))
  #expect(try hash(nested("1")) == hash(nested("1.0")))
}

@Test("texts that repeat are hashed like every text alone")
func repeating() throws {
  var generator = SystemRandomNumberGenerator()
  // Many of them agree in their first and last eight bytes, and differ between.
  let texts = (0..<300).map { "prefix--\(String(repeating: "x", count: $0 % 5))\($0 / 5)--suffix--\($0 % 2)" }
  let chosen = (0..<5000).map { _ in texts.randomElement(using: &generator) ?? "" }
  var parts = SeededHash()
  for text in chosen {
    var one = SeededHash()
    one.combine(1)
    one.combine(text)
    parts.combine(one.value)
  }
  var whole = SeededHash(seed: 6)
  whole.combine(parts.value)
  whole.combine(UInt64(chosen.count))
  var expected = SeededHash()
  expected.combine(whole.value)
  #expect(try hash("[\(chosen.map { "\"\($0)\"" }.joined(separator: ","))]") == expected.value)
}
