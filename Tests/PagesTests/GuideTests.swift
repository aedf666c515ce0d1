import Foundation
import Testing
import TestSupport

@testable import Core
@testable import Web

@Suite struct GuideTests {
  @Test("every family of the catalogue has a guide with all sections, and every guide has a family")
  func families() throws {
    let families = Set(Catalogue.metrics.compactMap(\.guide))
    #expect(families == Set(GuideLibrary.all.map(\.family)))
    for guide in GuideLibrary.all {
      let headings = [
        "What people feel", "Confirm it", "Usual causes, in the order to check them", "What helps", "Afterwards",
      ]
      #expect(guide.sections.map(\.heading) == headings, "\(guide.family)")
      #expect(guide.causes.count >= 3 && !guide.title.isEmpty && guide.opening.count == 1, "\(guide.family)")
      #expect(guide.paragraph("Confirm it")?.isEmpty == false)
    }
  }

  @Test("the guides in docs/ are the guides in the binary")
  func files() throws {
    let folder = Checkout.url("docs/guides")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".md") }
    #expect(Set(names) == Set(GuideTexts.all.map { $0.family + ".md" } + ["README.md"]))
    let list = try String(contentsOf: folder.appendingPathComponent("README.md"), encoding: .utf8)
    for guide in GuideTexts.all {
      let text = try String(contentsOf: folder.appendingPathComponent(guide.family + ".md"), encoding: .utf8)
      #expect(text == guide.markdown)
      #expect(list.contains("](\(guide.family).md)"))
      for link in text.matches(of: /\]\(([a-z-]+)\.md\)/) { #expect(names.contains("\(link.output.1).md")) }
    }
  }

  @Test("Markdown becomes blocks: joined lines, finished lists, counted numbers")
  func parsing() {
    let guide = GuideParser.guide("x", "# T\n\nfirst\nline\n\n## S\n\n1. a\n   b\n2. c\n\n- d\n- e\nend\n")
    #expect(guide.title == "T" && guide.opening == [.paragraph("first line")])
    #expect(guide.sections.map(\.heading) == ["S"])
    #expect(guide.sections[0].blocks == [.steps(["a b", "c"]), .list(["d", "e end"])])
  }

  @Test("text of a guide may have code, strong words and links to existing guides, and the rest stays text")
  func text() {
    var html = HTMLWriter()
    let links = Links(style: .served, from: .guides)
    html.write(GuideText(text: "`a<b` **c** [m](memory.md) [n](nowhere.md) *x* [y", links: links))
    #expect(
      String(decoding: html.bytes, as: UTF8.self)
        == "<code>a&lt;b</code> <strong>c</strong> <a href=\"/guides/memory\">m</a> n *x* [y")
  }
}
