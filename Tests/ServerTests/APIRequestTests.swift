import Testing

@testable import Analysis
@testable import Core
@testable import Web

@Suite("An API request")
struct APIRequestTests {
  private func request(_ target: String, accept: String? = nil) -> RequestSnapshot {
    RequestSnapshot(method: "GET", target: target, headers: accept.map { [("Accept", $0)] } ?? [])
  }

  private func route(_ target: String) throws -> (route: Route, arguments: [String])? {
    let request = request(target)
    for route in try TestRoutes.all() where route.parameters != nil && route.methods.contains("GET") {
      if let found = route.address.arguments(of: request.path, { request.segments }) { return (route, found) }
    }
    return nil
  }

  /// The pattern of an address and what it holds in place of its placeholders.
  private func address(_ target: String) throws -> [String]? {
    try route(target).map { [String($0.route.address.pattern.description.dropFirst(7))] + $0.arguments }
  }

  private func known(_ target: String) throws -> [String] {
    try #require(try route("/api/v1/" + target)?.route.parameters)
  }

  @Test("an API request is recognised by its path, with each part decoded separately")
  func addresses() throws {
    #expect(try address("/api/v1/apps") == ["apps"])
    #expect(try address("/api/v1/apps/a/report") == ["apps/{app}/report", "a"])
    #expect(try address("/api/v1/apps/a/metrics") == ["apps/{app}/metrics", "a"])
    #expect(try address("/api/v1/apps/a/metrics/x%2Fy") == ["apps/{app}/metrics/{metric}", "a", "x/y"])
    #expect(try address("/api/v1/apps/a%2Fb/data-quality") == ["apps/{app}/data-quality", "a/b"])
    #expect(try address("/api/v1/apps/a/diagnostics/7") == ["apps/{app}/diagnostics/{number}", "a", "7"])
    #expect(try address("/api/v1/apps/a/budgets/slices") == ["apps/{app}/budgets/slices", "a"])
    for nowhere in ["/api", "/api/v1", "/api/v2/apps", "/api/v1/apps/a", "/api/v1/apps/a/report/x", "/v1/apps"] {
      #expect(try address(nowhere) == nil, "\(nowhere)")
    }
  }

  @Test("an API request with an unknown, repeated or empty parameter is refused with its name")
  func parameters() throws {
    let metrics = try known("apps/a/metrics")
    let wrong = [
      "form=2026-11-20": "form", "from=2026-11-20&from=2026-11-20": "from", "from=": "from", "format=": "format",
      "kind=crash": "kind", "=": "",
    ]
    for (query, name) in wrong {
      let query = request("/?\(query)").query
      let error = #expect(throws: InvalidQuery.self) { try APIParameterCheck.check(query, known: metrics) }
      #expect(error?.parameter == name && error?.isReadable == false)
    }
    for query in ["", "release=&os=", "from=2026-11-20&to=2026-11-21&device_class=x", "format=csv"] {
      try APIParameterCheck.check(request("/?\(query)").query, known: metrics)
    }
    #expect(throws: InvalidQuery.self) {
      try APIParameterCheck.check(request("/?format=csv").query, known: known("apps"))
    }
    #expect(throws: InvalidQuery.self) {
      try APIParameterCheck.check(request("/?release=1").query, known: known("apps/a/data-quality"))
    }
  }

  @Test("a number in a parameter is written as in JSON, without a sign")
  func decimals() {
    #expect(Int(decimal: "42") == 42 && Int(decimal: "007") == 7 && Double(decimal: "33.3") == 33.3)
    #expect(Double(decimal: "1e2") == 100 && Double(decimal: "2.5E-3") == 0.0025)
    for wrong in ["", "+5", "-5", " 5", "5 ", "0x32", "1e2", "٣", "99999999999999999999"] {
      #expect(Int(decimal: wrong) == nil, "\(wrong)")
    }
    for wrong in ["", ".", "5.", ".5", "1.2.3", "+5", "1e", "e2", "0x32", "nan", "inf"] {
      #expect(Double(decimal: wrong) == nil, "\(wrong)")
    }
  }

  @Test("an API request gets CSV with a parameter, or if it accepts CSV at least as much as JSON")
  func formats() throws {
    #expect(try APIFormat(request("/")) == .json)
    #expect(try APIFormat(request("/?format=csv", accept: "application/json")) == .csv)
    #expect(try APIFormat(request("/?format=json", accept: "text/csv")) == .json)
    let accepted = [
      "text/csv": APIFormat.csv, "TEXT/CSV ; q=0.5, */*;q=0.1": .csv, "text/csv, application/json;q=0.9": .csv,
      "application/json, text/csv;q=0.9": .json, "text/csv;q=0": .json, "*/*": .json, "text/html,text/*": .json,
      ",;q=,text/csv;q=x": .json,
    ]
    for (header, format) in accepted { #expect(try APIFormat(request("/", accept: header)) == format, "\(header)") }
    #expect(throws: InvalidQuery.self) { try APIFormat(request("/?format=xml")) }
    #expect(try APIFormat(request("/?table=parts")) == .table(.parts))
    #expect(try APIFormat(request("/?format=csv&table=distribution")) == .table(.distribution))
    for wrong in ["/?table=nothing", "/?table=", "/?format=json&table=parts"] {
      #expect(throws: InvalidQuery.self, "\(wrong)") { try APIFormat(request(wrong)) }
    }
  }

  @Test("an API request for a table is cached separately from one for data")
  func cached() {
    let path = "/api/v1/apps/a/metrics"
    let table = PageCache.address(of: request(path, accept: "text/csv"), viewer: "")
    #expect(table != PageCache.address(of: request(path), viewer: ""))
    #expect(
      PageCache.address(of: request(path + "/csv"), viewer: "")
        != PageCache.address(of: request(path, accept: "text/csv"), viewer: ""))
  }
}
