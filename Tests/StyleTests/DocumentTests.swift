import Foundation
import TestSupport
import Testing

/// What a reader of the documents may rely on.
@Suite("Documents")
struct DocumentTests {
  static let documents: [String: Document] = {
    let found = FileManager.default.enumerator(atPath: Checkout.path("docs"))?.compactMap { $0 as? String } ?? []
    let names =
      ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "deploy/README.md", "Benchmarks/README.md"]
      + found.filter { $0.hasSuffix(".md") }.map { "docs/" + $0 }
    return Dictionary(
      uniqueKeysWithValues: names.compactMap { name in
        (try? Checkout.text(name)).map { (name, Document(name: name, text: $0)) }
      })
  }()

  static var sorted: [Document] { documents.values.sorted { $0.name < $1.name } }

  @Test("every link between documents leads to a file, and to a heading of it")
  func links() {
    var count = 0
    for document in Self.sorted {
      for link in document.links {
        count += 1
        let path = link.path.isEmpty ? document.name : Document.join(document.folder, link.path)
        let place = "\(document.name):\(link.line): \(link.path)\(link.anchor.map { "#" + $0 } ?? "")"
        #expect(FileManager.default.fileExists(atPath: Checkout.path(path)), "\(place): there is no \(path)")
        if let anchor = link.anchor, let target = Self.documents[path] {
          #expect(target.anchors.contains(anchor), "\(place): \(path) has no such heading")
        }
      }
    }
    #expect(count > 250, "the links were not found")
  }

  @Test("every document in docs is reachable from README")
  func reachable() {
    var (seen, next): (Set<String>, [String]) = ([], ["README.md"])
    while let name = next.popLast() {
      guard seen.insert(name).inserted, let document = Self.documents[name] else { continue }
      next += document.links.map { Document.join(document.folder, $0.path) }
    }
    for document in Self.sorted { #expect(seen.contains(document.name), "no document links to \(document.name)") }
  }

  @Test("README has at most 130 lines, and a document at most 1,500 words unless it is a reference")
  func lengths() throws {
    #expect(try Checkout.text("README.md").split(separator: "\n", omittingEmptySubsequences: false).count <= 131)
    for document in Self.sorted where !Self.references.contains(document.name) {
      #expect(document.words <= 1500, "\(document.name) has \(document.words) words; divide it by question")
    }
  }

  /// Documents in which readers look things up.
  private static let references: Set = [
    "CHANGELOG.md", "docs/alerting-rules.md", "docs/api-reference.md", "docs/architecture.md", "docs/commands.md",
    "docs/formats.md", "docs/limits.md", "docs/record.md", "docs/scaling-reference.md", "docs/statistics.md",
  ]

  @Test("a document in docs begins with the question that it answers")
  func questions() {
    for document in Self.sorted where document.name.hasPrefix("docs/") && document.name != "docs/metrics.md" {
      let paragraphs = document.text.components(separatedBy: "\n\n")
      #expect(paragraphs[0].hasPrefix("# ") && !paragraphs[0].contains("\n"), "\(document.name) has no title")
      #expect(
        paragraphs.count > 1 && paragraphs[1].contains("?"),
        "\(document.name): the first paragraph asks no question: \(paragraphs.dropFirst().first ?? "")")
    }
  }

  @Test("anchors follow GitHub's rule")
  func anchors() {
    let document = Document(
      name: "x.md", text: "# A `b` (c), d: ×2\n## [Link](y.md) & more\n## Same\n## Same\n```\n# no heading\n```\n")
    #expect(document.anchors == ["a-b-c-d-2", "link--more", "same", "same-1"])
  }
}

/// A document of the repository in Markdown.
struct Document {
  struct Link {
    let line: Int
    /// Relative to the document's folder; empty for the document itself.
    let path: String
    let anchor: String?
  }

  let name: String
  let text: String

  var folder: String { name.split(separator: "/").dropLast().joined(separator: "/") }

  /// Its lines outside of blocks of code, with their numbers from 1.
  var prose: [(number: Int, text: Substring)] {
    var isFenced = false
    var found: [(Int, Substring)] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line.drop(while: { $0 == " " }).hasPrefix("```") {
        isFenced.toggle()
      } else if !isFenced, !line.hasPrefix("    ") {
        found.append((index + 1, line))
      }
    }
    return found
  }

  /// Its words outside of blocks of code.
  var words: Int {
    prose.reduce(0) { sum, line in
      sum + line.text.split(separator: " ").count { word in word.contains { $0.isLetter || $0.isNumber } }
    }
  }

  /// Its links to files of the repository.
  var links: [Link] {
    prose.flatMap { line in
      line.text.matches(of: /\]\(([^)\s]+)\)/).compactMap { match -> Link? in
        let target = String(match.1)
        guard target.prefixMatch(of: /[a-z]+:/) == nil, !target.hasPrefix("/") else { return nil }
        let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        return Link(line: line.number, path: String(parts[0]), anchor: parts.count > 1 ? String(parts[1]) : nil)
      }
    }
  }

  /// The anchors of its headings, as GitHub makes them: lower case, without punctuation, spaces as hyphens, numbered when
  /// they repeat.
  var anchors: [String] {
    var counts: [String: Int] = [:]
    return prose.compactMap { line in
      guard let heading = line.text.wholeMatch(of: /#+ +(.+)/)?.1 else { return nil }
      let title = heading.replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.1 }
      let anchor = title.lowercased().filter { $0.isLetter || $0.isNumber && $0.isASCII || "-_ ".contains($0) }
        .replacing(" ", with: "-")
      defer { counts[anchor, default: 0] += 1 }
      return counts[anchor].map { "\(anchor)-\($0)" } ?? anchor
    }
  }

  /// `path` as seen from `folder`, without `..`.
  static func join(_ folder: String, _ path: String) -> String {
    var parts = folder.split(separator: "/")
    for part in path.split(separator: "/") {
      if part == ".." { _ = parts.popLast() } else if part != "." { parts.append(part) }
    }
    return parts.joined(separator: "/")
  }
}
