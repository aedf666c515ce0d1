import Testing

/// The tests of pages are worth as much as what they read pages with.
@Suite("The HTML parser of page tests")
struct HTMLParserTests {
  private func parse(_ text: String) throws -> Element { try HTMLParser.parse(Array(text.utf8)) }

  @Test(
    "the tests' HTML parser refuses what a browser would repair",
    arguments: [
      "<p>", "<p><b></p></b>", "</p>", "<p", "<p></p", "<a href=x></a>", "<a href=\"x></a>",
      "<p class=\"a\" class=\"b\"></p>",
      "a & b", "&nbsp;", "<p>a > b</p>", "<a title=\"<\"></a>", "< p></p>", "<p>\u{1}</p>", "<br>", "<p class='a'></p>",
    ])
  func strict(text: String) { #expect(throws: HTMLParser.Failure.self) { try parse(text) } }

  @Test("the tests' HTML parser reads elements, attributes, flags and entities")
  func reads() throws {
    let root = try parse("<!DOCTYPE html>\n<p class=\"a b\" hidden>x &amp; <b>y</b>\u{A0}z<br/></p>")
    let paragraph = try root.one("p.b[hidden]")
    #expect(paragraph["class"] == "a b" && paragraph["hidden"] == "" && paragraph["id"] == nil)
    #expect(paragraph.text == "x & y z" && paragraph.elements.map(\.name) == ["b", "br"])
  }

  @Test(
    "the tests' HTML parser selects by name, class, id, attribute and ancestors",
    arguments: [
      ("a", "1 2 3"), ("li a", "1 2"), ("ul > a", ""), ("li > a", "1"), ("ul a.x", "2"), ("#i a", "1"), ("a[t]", "2 3"),
      ("a[t=u v]", "3"), ("b, a.x", "2 b"), ("div > ul", "12"), (".x.y", "2"),
    ])
  func selectors(selector: String, texts: String) throws {
    let root = try parse(
      "<div><ul><li id=\"i\"><a>1</a></li><li><i><a class=\"x y\" t=\"\">2</a></i></li></ul><b>b</b><a t=\"u v\">3</a></div>"
    )
    #expect(root.texts(selector).map { $0.filter { $0 != " " } }.joined(separator: " ") == texts)
  }

  @Test(
    "a page has no duplicate id, no link or label to a missing id, and table rows of equal width",
    arguments: [
      ("<p id=\"a\"></p><p id=\"a\"></p>", "two elements are #a"),
      ("<a href=\"#b\">x</a>", "href=\"#b\" leads nowhere"),
      ("<label for=\"b\"></label>", "for=\"b\" leads nowhere"), ("<a href=\"/\"></a>", "a link that cannot be read: /"),
      ("<h1>a</h1><h3>b</h3>", "h3 follows h1"), ("<table></table>", "a table without a caption"),
      (
        "<table><caption>c</caption><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><th scope=\"row\">x</th></tr>"
          + "</tbody></table>", "c: the row x has 1 cells for 2 columns"
      ),
    ])
  func faults(markup: String, fault: String) throws {
    #expect(HTMLPage.faults(try parse(markup)) == [fault])
  }

  @Test("the tests' HTML parser reads a table by its columns and rows")
  func tables() throws {
    let root = try parse(
      "<table><caption>Some numbers</caption><thead><tr><th>a</th><th>b</th></tr></thead>"
        + "<tbody><tr><th>x</th><td>1</td></tr><tr><th>x y</th><td>2</td></tr></tbody></table>")
    let table = try root.table("Some")
    #expect(table.columns == ["a", "b"] && table.column("b") == ["1", "2"] && table.heads == ["x", "x y"])
    #expect(try table.row("x y")["b"] == "2")
  }
}
