import Foundation
import TestSupport
import Testing

@Suite("Code paths in docs/architecture.md")
struct ArchitectureTests {
  private let sources: [String: String]
  private let document: String

  init() throws {
    document = try String(contentsOf: Checkout.url("docs/architecture.md"), encoding: .utf8)
    sources = Dictionary(
      SourceTree.shared.files.filter { $0.path.hasPrefix("Sources/") }.map { file in
        (String(file.path.split(separator: "/").last ?? ""), file.lines.map(\.text).joined(separator: "\n"))
      }, uniquingKeysWith: { first, _ in first })
  }

  @Test("every function that a path names is declared in the file named after it")
  func functions() throws {
    let start = try #require(document.range(of: "\n## Code paths\n"))
    let end = try #require(document.range(of: "\n## Modules\n"))
    let paths = document[start.upperBound..<end.lowerBound]
    var count = 0
    for step in paths.matches(of: /((?:`[\w.+]+`(?:, | and )?)+) \(`([\w+]+\.swift)`\)/) {
      let text = sources[String(step.2)]
      #expect(text != nil, "Sources has no file \(step.2)")
      guard let text else { continue }
      for name in step.1.matches(of: /`(\w+)\.(\w+)`/) {
        count += 1
        let declaration = name.2 == "init" ? "init" : "(func|var|let|case) \(name.2)\\b"
        #expect(try text.contains(Regex(declaration)), "\(step.2) declares no \(name.1).\(name.2)")
        #expect(try text.contains(Regex("\\b\(name.1)\\b")), "\(step.2) does not name \(name.1)")
      }
    }
    #expect(count > 100, "the code paths were not found")
  }

  @Test("every file that docs/architecture.md names is in Sources")
  func files() {
    for name in document.matches(of: /`([\w+]+\.swift)`/).map({ String($0.1) }) where name != "Package.swift" {
      #expect(sources[name] != nil, "\(name)")
    }
  }
}
