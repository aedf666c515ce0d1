import Foundation
import Testing
import TestSupport

@testable import Storage
@testable import Web

/// Markup that a person has looked at: every component by itself, and the pages whose structure differs the most.
@Suite("Golden files") struct GoldenTests {
  /// A component in one of its states.
  struct Component: Sendable, CustomTestStringConvertible {
    var name: String
    var markup: @Sendable () -> [UInt8]
    var testDescription: String { name }
  }

  private static let components = frame + cards + tables + charts + groups

  @Test("a component of a page equals its reviewed file and is well-formed", arguments: components)
  func component(component: Component) throws {
    let markup = component.markup()
    _ = try HTMLParser.parse(markup)
    try Golden.expect(markup, "components/\(component.name)")
  }

  private static let pages: [Component] = [
    Component(name: "overview") { OverviewView.render(Fleet.overview, PageContext(isSignedIn: true)) },
    Component(name: "app") {
      AppView.render(Fleet.smallAppPage, rollout: Fleet.rollout, PageContext(choices: Fleet.choices))
    },
    Component(name: "metric") { MetricView.render(Fleet.smallMetricPage, PageContext()) },
    Component(name: "group-crash") { GroupView.render(Fleet.groupPage(), PageContext()) },
    Component(name: "compare") { CompareView.render(Fleet.comparison, PageContext()) },
    Component(name: "release-file") {
      ReleaseView.render(
        Fleet.smallReleasePage, impact: Fleet.impact(), PageContext(linkStyle: .files, renderedAt: Fleet.asOf))
    },
    Component(name: "setup") {
      SetupView.render(Fleet.setupPage, app: Fleet.storedApp, keys: Fleet.storedApp.keys, PageContext())
    },
    Component(name: "error-404") { HTTPErrorView.render(status: 404, PageContext()) },
  ]

  @Test("a whole page equals its reviewed file", arguments: pages)
  func page(page: Component) throws {
    let markup = page.markup()
    _ = try HTMLPage.parse(markup)
    try Golden.expect(markup, "pages/\(page.name)")
  }

  @Test("eight whole pages are recorded, components are small, and no file is unused")
  func files() throws {
    #expect(Self.pages.count <= 8)
    for (folder, expected, most) in [("components", Self.components, 6 * 1024), ("pages", Self.pages, 48 * 1024)] {
      let files = try FileManager.default.contentsOfDirectory(
        atPath: Checkout.path("Tests/PagesTests/Golden/\(folder)"))
      #expect(Set(files) == Set(expected.map { "\($0.name).html" }))
      for component in expected { #expect(component.markup().count < most, "\(component.name)") }
    }
  }
}
