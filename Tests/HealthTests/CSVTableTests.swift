import Testing

@testable import Analysis
@testable import Core

@Suite("A table as CSV")
struct CSVTableTests {
  private func csv(_ columns: [String], _ rows: JSONOutput...) -> String {
    String(decoding: CSVTable(columns: columns, rows: rows).csv(), as: UTF8.self)
  }

  @Test("a CSV column is named by the members that lead to it, and unknown columns are left out")
  func columns() {
    let row = JSONOutput.object([
      ("name", .string("a")), ("p50", .object([("value", .number(0.1)), ("low", .null)])), ("n", .count(3)),
    ])
    #expect(
      csv(["name", "p50.value", "p50.low", "n", "none.at.all"], row) == """
        name,p50_value,p50_low,n,none_at_all\r\na,0.1,,3,\r\n
        """)
    #expect(csv(["a"]) == "a\r\n")
  }

  @Test("a CSV table quotes as RFC 4180 requires, byte by byte")
  func quoting() {
    let texts = ["a,b": "\"a,b\"", "a\"b": "\"a\"\"b\"", "a\r\nb": "\"a\r\nb\"", "": "", "é\u{301}": "é\u{301}"]
    for (text, cell) in texts {
      #expect(csv(["x"], .object([("x", .string(text))])) == "x\r\n\(cell)\r\n")
    }
  }

  @Test("a CSV table never starts a text like a formula, and leaves numbers unchanged")
  func formulas() {
    for start in ["=", "+", "-", "@", "\t"] {
      #expect(csv(["x"], .object([("x", .string(start + "1+1"))])) == "x\r\n'\(start)1+1\r\n")
    }
    #expect(csv(["x"], .object([("x", .string("=A1,\"b\""))])) == "x\r\n\"'=A1,\"\"b\"\"\"\r\n")
    #expect(csv(["x"], .object([("x", .string("\r=1"))])) == "x\r\n\"'\r=1\"\r\n")
    #expect(csv(["x"], .object([("x", .number(-1.5))])) == "x\r\n-1.5\r\n")
  }
}
