import Testing

@testable import Analysis
@testable import Web

@Suite("Pages of a server below a path")
struct MountPathTests {
  private static let context = PageContext(
    isSignedIn: true, filter: ReportQuery(os: "iOS 26.1"), choices: Fleet.choices,
    serverURL: "https://example.org/tools/plumb", mountPath: "/tools/plumb")

  private static let pages: [(name: String, bytes: [UInt8])] =
    [
      ("overview", OverviewView.render(Fleet.overview, context)),
      ("no apps", OverviewView.render(OverviewModel(apps: [], asOf: Fleet.asOf), context)),
      ("app", AppView.render(Fleet.appPage, context)), ("metric", MetricView.render(Fleet.metricPage, context)),
      ("error", HTTPErrorView.render(status: 404, context)), ("login", LoginView.render(context)),
      ("guides", GuidesView.render(context)), ("guide", GuideView.render("memory", context) ?? []),
    ] + SamplePages.all.map { ($0.name, $0.render(context)) }

  @Test("a page of a server below a path has no URL outside it: links, forms, stylesheet, icon and script")
  func addresses() {
    for (name, bytes) in Self.pages {
      let page = String(decoding: bytes, as: UTF8.self)
      let addresses = page.matches(of: /\s(?:href|src|action)="([^"]*)"/).map { String($0.1) }
      #expect(addresses.count > 3, "\(name)")
      // An address that is only a query or an anchor stays on its page.
      for address in addresses where !address.hasPrefix("#") && !address.hasPrefix("?") {
        #expect(address.hasPrefix("/tools/plumb/"), "\(name): \(address)")
      }
    }
  }

  @Test("a page of a server below a path shows apps' addresses with the path: payloads, Sentry and OTLP")
  func senders() {
    let page = Self.pages.first { $0.name.hasPrefix("setup") }.map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""
    for address in [
      "https://example.org/tools/plumb/v1/payloads", "@example.org/tools/plumb/",
      "OTEL_EXPORTER_OTLP_ENDPOINT=https://example.org/tools/plumb\n",
    ] {
      #expect(page.contains(address), "\(address)")
    }
  }
}
