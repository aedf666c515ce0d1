import Foundation
import Testing

@testable import Analysis
@testable import Storage
@testable import Web

@Suite struct LinkTests {
  @Test("a URL keeps RFC 3986's unreserved characters and encodes the rest, so that Foundation reads it back")
  func served() {
    #expect(
      Page.metric(app: "com.example.shop", name: "launch.first_draw").path
        == "/apps/com.example.shop/metrics/launch.first_draw")
    for text in HostileStringTests.strings {
      let encoded = PathEncoding.percent(text)
      #expect(encoded.removingPercentEncoding == text)
      #expect(!encoded.contains { "/?#&\"'<> ".contains($0) })
    }
  }

  @Test("two names never share a file, even on file systems that ignore case")
  func collisions() {
    let long = String(repeating: "a", count: 200)
    let names =
      HostileStringTests.strings + [
        "shop", "Shop", "shop_", "_73hop", "s_hop", "shop.html", ".", "...", "_", "a/b", "a_2fb", long, long + "a",
        long + "_", long + "/a", String(repeating: "a", count: 201) + ".html", String(repeating: "_", count: 67),
      ]
    let apps = Set(names).map { Page.app($0) }
    let metrics = Set(names).map { Page.metric(app: "x", name: $0) }
    for pages in [apps, metrics] {
      let files = pages.map { $0.fileName.lowercased() }
      #expect(Set(files).count == pages.count)
      // A file is never a folder on the way to another.
      let folders = Set(
        files.flatMap { file in
          file.indices.filter { file[$0] == "/" }.map { String(file[..<$0]) }
        })
      #expect(folders.isDisjoint(with: files))
    }
  }

  @Test("file names are portable: no part is hidden, a parent folder, empty or longer than 255 bytes")
  func portable() {
    for text in HostileStringTests.strings {
      for part in Page.metric(app: text, name: text).fileName.split(separator: "/", omittingEmptySubsequences: false) {
        #expect(!part.isEmpty && !part.hasPrefix(".") && part.utf8.count <= 255)
        #expect(part.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789.-_".utf8.contains($0) })
      }
    }
  }

  @Test("links in a static export first lead to the root")
  func relative() {
    let links = Links(style: .files, from: .metric(app: "a", name: "b"))
    #expect(links.href(.overview) == "../../../index.html")
    #expect(links.href(.app("a")) == "../../../apps/a/index.html")
    #expect(links.asset("plumb.css") == "../../../plumb.css")
    let filter = ReportQuery(environment: "a&b", release: "4.2 (1)", label: "c")
    #expect(Links(style: .files, from: .app("a"), filter: filter).href(.app("a")) == "../../apps/a/index.html")
    #expect(Links(style: .files, from: .overview).asset("plumb.css") == "plumb.css")
  }

  @Test("filters are kept within an app, if a page or the API supports them")
  func filters() {
    let filter = ReportQuery(environment: "a&b", release: "4.2 (1)", label: "c")
    let metric = Page.metric(app: "a", name: "m")
    let links = Links(style: .served, from: metric, filter: filter)
    #expect(links.href(.app("a")) == "/apps/a?environment=a%26b&release=4.2%20%281%29&label=c")
    #expect(links.href(metric) == "/apps/a/metrics/m?environment=a%26b&release=4.2%20%281%29&label=c")
    // A metric that has no such label says so.
    #expect(links.href(.metric(app: "a", name: "o")).hasSuffix("&label=c"))
    #expect(
      links.href(.diagnostics(app: "a")).hasSuffix("/diagnostics?environment=a%26b&release=4.2%20%281%29&label=c"))
    #expect(links.href(.data(of: .diagnostics(app: "a"), .json)) == "/api/v1/apps/a/diagnostics")
    #expect(
      links.href(.data(of: .release(app: "a", name: "1"), .csv))
        == "/api/v1/apps/a/releases/1?format=csv&environment=a%26b")
    #expect(
      links.href(.table(of: metric, .courses))
        == "/api/v1/apps/a/metrics/m?format=csv&table=courses&environment=a%26b&release=4.2%20%281%29&label=c")
    #expect(Page.table(of: metric, .parts).fileName == "apps/a/metrics/m.parts.csv")
    #expect(
      links.href(.compare(app: "a", base: "1", head: "2")).hasPrefix("/apps/a/compare?base=1&head=2&environment="))
    #expect(links.href(.overview) == "/" && links.href(.app("b")) == "/apps/b" && links.href(.guides) == "/guides")
    #expect(links.href(.data(of: .budgets(app: "a"), .json)).hasPrefix("/api/v1/apps/a/budgets/slices?"))
  }
}
