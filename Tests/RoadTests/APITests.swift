import Foundation
import Testing
import TestSupport

@Suite("The API")
struct APITests {
  private static let base = "/api/v1/apps/\(Payload.app)"
  private static let local = [("Host", "localhost")]

  @Test("the API returns the same numbers as the commands, the pages and the files, to the last digit")
  func oneDefinition() throws {
    let stage = try Stage()
    try stage.fillWithDemo()
    let client = try stage.serve("--open").connect()
    var answers: [String: String] = [:]
    func get(_ path: String) throws -> String {
      try answers[path] ?? #require(client.get(path, Self.local)).text
    }
    let (told, checked) = try stage.inOneStep {
      answers = [:]
      for part in ["report", "judgement", "budgets", "metrics", "releases", "releases/4.3.0", "releases/4.2.1"] {
        answers["\(Self.base)/\(part)"] = try get("\(Self.base)/\(part)")
      }
      answers["/api/v1/apps"] = try get("/api/v1/apps")
      let rendered = try stage.run("render", "--out", "site", limit: 600)
      #expect(rendered.succeeded, "\(rendered.errors)")
      return (
        try stage.run("report", "--app", Payload.app, "--format", "json").output,
        try stage.run("check", "--app", Payload.app, "--format", "json").output
      )
    }

    let report = try get(Self.base + "/report")
    #expect(report == told, "\(difference(report, told))")
    let judgement = try get(Self.base + "/judgement")
    #expect(try siteData(stage).contains(judgement))
    let toldJudgement = try object("judgement", of: judgement)
    #expect(report.contains(toldJudgement))
    let budgets = try get(Self.base + "/budgets")
    #expect(budgets == checked)
    // Both lists of one report are cut out of it, so the very text must be in it.
    for part in ["metrics", "releases"] {
      let list = try list(part, of: get("\(Self.base)/\(part)"))
      #expect(list.count > 100 && report.contains(list), "\(part)")
    }
    let judged = try JSON(report)["judgement"]["budgets"].list.map { $0["result"] }
    let own = try JSON(budgets)["budgets"].list
    #expect(judged.count > 5 && judged.count <= own.count)
    for (one, other) in zip(judged, own) {
      #expect(isSame(one, other) && one["budget"].text == other["budget"].text)
      #expect(one["slice"]["release"].text != nil)
    }

    for metric in try JSON(report)["metrics"].list where metric["label"].isNull {
      let name = try #require(metric["name"].text)
      let page = try get("\(Self.base)/metrics/\(name)")
      #expect(report.contains(try object("metric", of: page)), "\(name)")
    }
    try expectTables(get)
    // The pages' own addresses tell parts of the same report.
    let sessions = try get(Self.base + "/sessions")
    #expect(report.contains(try object("sessions", of: sessions)))
    #expect(report.contains(try object("users", of: sessions)))
    let exits = try get(Self.base + "/exits")
    #expect(report.contains(try object("terminations", of: exits)))
    for row in try JSON(get(Self.base + "/budgets/slices"))["budgets"].list {
      let name = try #require(row["result"]["budget"].text)
      #expect(isSame(try #require(judged.first { $0["budget"].text == name }), row["result"]))
    }
    for known in try JSON(report)["releases"].list.prefix(2) {
      let version = try #require(known["release"].text)
      let release = try JSON(get("\(Self.base)/releases/\(version)"))
      let same = try #require(release["builds"].list.first { $0["build"].text == known["build"].text })
      #expect(same["adoption"].number == known["adoption"].number)
      // Verdicts on it are those of `check`, as far as that judges it.
      for result in release["budgets"].list {
        let judged = try JSON(budgets)["budgets"].list.first {
          $0["slice"]["release"].text == result["slice"]["release"].text
            && $0["budget"].text == result["budget"].text
        }
        if let judged { #expect(judged["verdict"].text == result["verdict"].text) }
      }
    }
    let summary = try get("/api/v1/apps")
    let app = try #require(try JSON(summary)["apps"].list.first { $0["app"].text == Payload.app })
    #expect(app["sessions"].integer == (try JSON(report))["sessions"]["total"].integer)
    let crashFree = try #require(judged.first { $0["metric"].text == "sessions.crash_free" })
    for number in ["value", "low", "high", "n"] {
      #expect(app["crash_free"][number].number == crashFree[number].number, "\(number)")
    }
    #expect(app["advice"].text == (try JSON(report))["judgement"]["advice"].text)
    for verdict in ["broken", "warning", "within", "not_enough_data"] {
      #expect(app["verdict_counts"][verdict].integer == judged.count { $0["verdict"].text == verdict }, "\(verdict)")
    }
  }

  /// Where two texts that should be one part, to be read in a report of a failure.
  private func difference(_ one: String, _ other: String) -> String {
    let (left, right) = (Array(one.utf8), Array(other.utf8))
    let same = zip(left, right).prefix { $0 == $1 }.count
    let from = max(0, same - 200)
    return [left, right].map { String(decoding: $0.dropFirst(from).prefix(400), as: UTF8.self) }
      .joined(separator: "\n")
  }

  /// Whether two results have one number with one interval and one verdict.
  private func isSame(_ one: JSON, _ other: JSON) -> Bool {
    ["value", "low", "high", "n"].allSatisfy { one[$0].number == other[$0].number }
      && one["verdict"].text == other["verdict"].text
  }

  @Test("the API returns equal numbers for a release in the list, alone and in a comparison")
  func releases() throws {
    let stage = try Stage()
    try stage.fillWithDemo(users: 150)
    let client = try stage.serve("--open").connect()
    func get(_ path: String) throws -> JSON { try JSON(try #require(client.get(path, Self.local)).text) }
    func alike(_ one: JSON, _ other: JSON) -> Bool {
      one["value"].number != nil
        && ["value", "low", "high"].allSatisfy {
          one[$0].isNull == other[$0].isNull && one[$0].number == other[$0].number
        }
    }

    let listed = try get(Self.base + "/report")["releases"].list.filter { ($0["sessions"].integer ?? 0) > 0 }
    #expect(listed.count > 2)
    for release in listed {
      let (version, build) = (try #require(release["release"].text), try #require(release["build"].text))
      let own = try get("\(Self.base)/report?release=\(version)%20(\(build))")
      #expect(alike(own["sessions"]["crash_free"], release["crash_free"]), "\(version)")
    }

    // A metric of which both releases have data on every day of a window: its comparison reads the whole window, as the
    // report does. Which windows those are depends on the demo's date, so all of them are read.
    let path = "\(Self.base)/compare?base=4.1.0&head=4.2.0"
    let common = try get(path)["window"]
    let days = 4
    var from = try #require(common["from"].text)
    var compared = 0
    while case let to = try day(from, plus: days - 1), try to <= #require(common["to"].text) {
      let metrics = try get("\(path)&from=\(from)&to=\(to)")["metrics"].list
      for (side, version) in [("base", "4.1.0"), ("head", "4.2.0")] {
        let own = try get("\(Self.base)/report?release=\(version)&from=\(from)&to=\(to)")
        for metric in metrics where metric["days"].integer == days {
          let (name, statistic) = (metric["name"].text ?? "", metric["statistic"].text ?? "")
          if name == "sessions.crash_free" {
            #expect(alike(own["sessions"]["crash_free"], metric[side]), "\(from)")
          } else if statistic.hasPrefix("p") {
            let same = own["metrics"].list.first {
              $0["name"].text == name && $0["source"].text == metric["source"].text && $0["label"].isNull
            }
            guard let same else { continue }
            #expect(alike(same[statistic], metric[side]), "\(name) from \(from)")
          } else {
            continue
          }
          compared += 1
        }
      }
      from = try day(from, plus: 1)
    }
    #expect(compared >= 4)
  }

  @Test("the API has every exact number that the pages show on hover")
  func hover() throws {
    let stage = try Stage()
    try stage.fillWithDemo()
    let client = try stage.serve("--open").connect()
    func get(_ path: String) throws -> String { try #require(client.get(path, Self.local)).text }
    let report = try get(Self.base + "/report")
    var app = try numbers(in: report).union(numbers(in: get(Self.base + "/budgets")))
    let judgement = try get(Self.base + "/judgement")
    app.formUnion(try numbers(in: judgement))
    // The course of each vital is its metric's, of the release and of the one before.
    let judged = try JSON(judgement)["judgement"]
    let releases = try [judged["slice"]["release"], judged["previous"]].map {
      try #require($0.text?.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    }
    for budget in judged["budgets"].list {
      let metric = try #require(budget["result"]["metric"].text)
      for release in releases {
        app.formUnion(try numbers(in: get("\(Self.base)/metrics/\(metric)?release=\(release)")))
      }
    }
    let onApp = titles(in: try get("/apps/\(Payload.app)"))
    #expect(onApp.count > 20)
    #expect(onApp.subtracting(app).isEmpty)
    for metric in ["launch.first_draw", "memory.peak"] {
      // The page is about the release, beside the trend of all and a row for each other one.
      let window = judged["window"]
      let days = "from=\(window["from"].text ?? "")&to=\(window["to"].text ?? "")"
      let data = try numbers(in: get("\(Self.base)/metrics/\(metric)"))
        .union(numbers(in: get("\(Self.base)/metrics/\(metric)?release=\(releases[0])&\(days)")))
        .union(numbers(in: get("\(Self.base)/metrics/\(metric)?release=\(releases[0])")))
      let onPage = titles(in: try get("/apps/\(Payload.app)/metrics/\(metric)"))
      #expect(!onPage.isEmpty && onPage.subtracting(data).isEmpty, "\(metric)")
    }
  }

  @Test("the API writes tables as CSV with a row for each item of the JSON")
  func tables() throws {
    let stage = try Stage()
    try stage.fillWithDemo(users: 20)
    let client = try stage.serve("--open").connect()
    let tables = [
      ("metrics", "metrics"), ("releases", "releases"), ("budgets", "budgets"), ("data-quality", "clients"),
      ("diagnostics", "diagnostics"), ("sessions", "days"), ("exits", "reasons"), ("checklist", "items"),
      ("judgement", "judgement"),
    ]
    for (path, member) in tables {
      let data = try #require(client.get("\(Self.base)/\(path)", Self.local))
      let table = try #require(client.get("\(Self.base)/\(path)", Self.local + [("Accept", "text/csv")]))
      #expect(data.header("Content-Type") == "application/json" && data.header("Vary") == "Accept, Accept-Encoding")
      #expect(table.header("Content-Type") == "text/csv; charset=utf-8; header=present", "\(path)")
      #expect(client.get("\(Self.base)/\(path)?format=csv", Self.local)?.body == table.body)
      let lines = table.text.components(separatedBy: "\r\n")
      let whole = try JSON(data.text)[member]
      let items = path == "judgement" ? whole["budgets"].list : whole.list
      #expect(lines.count == items.count + 2 && lines.last == "", "\(path)")
    }
    let trends = client.get("\(Self.base)/metrics/launch.first_draw?format=csv", Self.local)
    #expect(trends?.text.components(separatedBy: "\r\n").count == 3 * 28 + 2)
    #expect(client.get("\(Self.base)/report?format=csv", Self.local)?.status == 400)
  }

  private func day(_ text: String, plus days: Int) throws -> String {
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions = .withFullDate
    let date = try #require(formatter.date(from: text))
    return formatter.string(from: date.addingTimeInterval(Double(days) * 86_400))
  }

  /// What stands behind a chart as CSV is what its JSON says, row by row.
  private func expectTables(_ get: (String) throws -> String) throws {
    func rows(_ path: String) throws -> [[String]] {
      try get(path).components(separatedBy: "\r\n").dropLast().dropFirst().map { $0.components(separatedBy: ",") }
    }
    let metric = "\(Self.base)/metrics/launch.first_draw"
    let page = try JSON(get(metric))
    let distribution = try rows("\(metric)?table=distribution")
    #expect(distribution.map { Double($0[2]) } == page["distribution"].list.map(\.["count"].number))
    let dimensions = ["release", "device_class", "os", "device", "label", "attribute"]
    let own = dimensions.flatMap { page["by_\($0)"].list }
    let parts = try rows("\(metric)?format=csv&table=parts")
    #expect(parts.count == own.count && parts.count > 10)
    #expect(Set(parts.map { $0[0] }).isSubset(of: dimensions))
    let courses = try rows("\(metric)?table=courses")
    #expect(courses.count == own.reduce(0) { $0 + $1["trend"].list.count } && courses.count > 100)
    let days = try rows("\(Self.base)/exits?table=trend")
    #expect(days.map { Double($0[2]) } == (try JSON(get(Self.base + "/exits"))["trend"].list.map(\.["value"].number)))
    #expect(try get("\(Self.base)/exits?table=distribution").contains("found distribution"))
  }

  /// The text of a list that is the last member.
  private func list(_ name: String, of text: String) throws -> String {
    let start = try #require(text.range(of: "\"\(name)\":["))
    return String(text[text.index(before: start.upperBound)...].dropLast(2))
  }

  /// The text of an object without deeper ones than two.
  private func object(_ name: String, of text: String) throws -> String {
    let start = try #require(text.range(of: "\"\(name)\":{"))
    var depth = 0
    let rest = text[text.index(before: start.upperBound)...]
    let end = try #require(
      rest.firstIndex { character in
        depth += character == "{" ? 1 : character == "}" ? -1 : 0
        return depth == 0
      })
    return String(rest[...end])
  }

  private func siteData(_ stage: Stage) throws -> [String] {
    let site = stage.folder + "/site"
    let names = try #require(FileManager.default.enumerator(atPath: site)).compactMap { $0 as? String }
    return try names.filter { $0.hasSuffix(".json") }
      .map { try String(contentsOfFile: site + "/" + $0, encoding: .utf8) }
  }

  private func numbers(in json: String) throws -> Set<Double> {
    Set(json.matches(of: /[:,\[](-?[0-9][0-9.e+-]*)/).compactMap { Double($0.output.1) })
  }

  /// The numbers with a unit in the `title` attributes of `span`s. A share has none: it is of counts beside it.
  private func titles(in page: String) -> Set<Double> {
    Set(page.matches(of: /<span title="(-?[0-9][0-9.e+-]*) [^"]+">/).compactMap { Double($0.output.1) })
  }
}
