import Foundation
import Testing
import TestSupport

@testable import Analysis
@testable import Web

@Suite("Every page is declared once")
struct DefinitionTests {
  private let sources = Checkout.url("Sources/Web/Pages")

  private func files() throws -> [(path: String, text: String)] {
    let found =
      FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)?
      .compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" } ?? []
    return try found.map {
      (String($0.path.dropFirst(sources.path.count + 1)), try String(contentsOf: $0, encoding: .utf8))
    }
  }

  @Test("no file of the pages module names a store, and only queries name the readers of stores")
  func noStores() throws {
    let files = try files()
    #expect(files.count > 80)
    for (path, text) in files {
      let text = text.replacing("App Store", with: "")
      #expect(!text.contains(/\b(Store|ControlStore|GroupStore|IncidentStore|GroupDecisions|Journal)\b/), "\(path)")
      let isQuery =
        path.hasPrefix("Definition/") || path.hasSuffix("Page.swift") || path.hasSuffix("Choices.swift")
      if !isQuery {
        #expect(!text.contains(/\b(HealthReader|GroupReader|PageSource|PageRequest|AppQuestion)\b/), "\(path)")
      }
    }
  }

  @Test("every page definition is in the list")
  func listed() throws {
    let declared = try files().flatMap { file in
      file.text.matches(of: /enum (\w+): (?:App)?PageDefinition \{/).map { String($0.1) }
    }
    // The example in the protocol's documentation is one of them.
    #expect(Set(declared) == Set(PageList.all.map { "\($0)" }))
  }

  @Test("no two pages or answers share a URL")
  func unique() {
    func shape(_ path: PathPattern) -> String { path.description.replacing(/\{\w+\}/, with: "{}") }
    let pages = PageList.all.map { shape($0.path) }
    let data = PageList.endpoints.map { shape($0.path) }
    #expect(Set(pages).count == pages.count && Set(data).count == data.count)
    let files = PageList.all.map { shape($0.file) }
    #expect(Set(files).count == files.count)
  }

  @Test("a path is parsed to its page and arguments")
  func matches() {
    let pattern: PathPattern = "apps/{app}/metrics/{metric}"
    #expect(pattern.arguments(of: ["apps", "a/b", "metrics", "m"]) == ["a/b", "m"])
    #expect(pattern.arguments(of: ["apps", "a", "metric", "m"]) == nil)
    #expect(pattern.arguments(of: ["apps", "a", "metrics"]) == nil)
    #expect(Page.metric(app: "a/b", name: "m").path == "/apps/a%2Fb/metrics/m")
  }
}
