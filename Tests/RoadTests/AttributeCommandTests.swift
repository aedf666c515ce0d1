import Foundation
import Testing
import TestSupport

extension Stage {
  /// A stage whose app has the attribute `experiment`: 60 phones of each arm, screens of one take 400 ms longer.
  fileprivate static func ofTwoArms() throws -> Stage {
    let stage = try Stage()
    _ = try stage.addApp()
    let set = try stage.run("app", "settings", Payload.app, "--attribute", "experiment")
    try #require(set.succeeded && set.output.contains("attribute: experiment\n"), "\(set)")
    let lines = [("control", 0), ("new-cart", 400), ("old-cart", 200)].flatMap { arm, offset in
      (0..<60).map { phone in
        let values = (0..<5).map { 500 + offset + (phone * 5 + $0) % 100 }
        return Payload.native(
          "\"attributes\":{\"experiment\":\"\(arm)\"}", Payload.measurements("screen.load", values),
          Payload.sessions(["\(arm)-\(phone)"])
        ).replacing("someone", with: "person-\(arm)-\(phone)")
      }
    }
    try stage.write(lines.joined(separator: "\n"), to: "fleet.ndjson")
    let taken = try stage.run("import", "fleet.ndjson", "--app", Payload.app)
    try #require(taken.succeeded, "\(taken.errors)")
    try stage.write(
      "budgets:\n  - p90 screen.load <= 2 s\n  - p90 screen.load <= 700 ms, where experiment = new-cart\n",
      to: "arm.yaml")
    try stage.write(
      "budgets:\n  - p90 screen.load <= 2 s\n  - p90 screen.load <= 1 s, where region = DE\n", to: "wrong.yaml")
    return stage
  }
}

@Suite("The app's attribute in commands")
struct AttributeCommandTests {
  private static let groups = [
    "compare", "--app", Payload.app, "--base", "experiment=control", "--head", "experiment=new-cart",
  ]

  @Test("the app's attribute works as filter and comparison on a folder and a server, and errors list the app's values")
  func sameElsewhere() throws {
    let stage = try Stage.ofTwoArms()
    let server = try stage.serve()
    let token = try stage.addToken("gate")
    let remote = [
      "PLUMB_SERVER": "http://127.0.0.1:\(server.port)", "PLUMB_TOKEN": token, "PLUMB_DATA": "/nonexistent",
    ]
    let check = ["check", "--app", Payload.app, "--stateless", "--all"]
    let rest = ["compare", "--app", Payload.app, "--base", "experiment!=new-cart", "--head", "experiment=new-cart"]
    let commands = [
      Self.groups, Self.groups + ["--format", "json"], Self.groups + ["--format", "markdown", "--release", "4.2.0"],
      Self.groups + ["--device-class", "iPhone 15", "--device", "iPhone15,4"], rest, rest + ["--budgets", "arm.yaml"],
      check + ["--where", "experiment=new-cart"], check + ["--where", "experiment != control", "--release", "all"],
      check + ["--budgets", "arm.yaml"], check + ["--budgets", "wrong.yaml"], check + ["--where", "region=DE"],
      check + ["--where", "nonsense"], Self.groups + ["--where", "experiment=control"],
      ["compare", "--app", Payload.app, "--base", "4.2.0", "--head", "experiment=control"],
    ]
    var outputs: [[String]: Stage.Outcome] = [:]
    for command in commands {
      let (here, there) = try stage.inOneStep {
        (
          try stage.run(program: Program.plumb, command),
          try stage.run(program: Program.plumb, command, environment: remote)
        )
      }
      #expect(here.ending == there.ending && here.output == there.output, "\(command): \(here) \(there)")
      if here.ending != .exit(64) { #expect(here.errors == there.errors, "\(command)") }
      outputs[command] = here
    }
    let twice = try stage.run("check", "--where", "experiment=control", "--where", "experiment=new-cart")
    #expect(twice.ending == .exit(64) && twice.errors.contains("expected one filter"), "\(twice)")
    // A file whose budgets are all of one value says nothing of the metric elsewhere: its margin stays.
    try stage.write("budgets:\n  - p90 screen.load <= 700 ms, where experiment = new-cart\n", to: "narrow.yaml")
    #expect(
      try stage.run(program: Program.plumb, Self.groups + ["--budgets", "narrow.yaml"]).output
        == stage.run(program: Program.plumb, Self.groups).output)
    // Sums of numbers with fractions stand in one order, so that every process gives the same digits.
    let json = Self.groups + ["--format", "json"]
    let digits = try stage.inOneStep { try (0..<3).map { _ in try stage.run(program: Program.plumb, json).output } }
    #expect(Set(digits).count == 1)
    // The arms have 60 phones each, so that another stated share is refused as a judgement.
    let wrongShare = try stage.run(program: Program.plumb, Self.groups + ["--split", "80"])
    #expect(
      wrongShare.ending == .exit(3)
        && wrongShare.output.hasPrefix("The assignment is broken: 50.0\u{A0}% of users instead"),
      "\(wrongShare)")
    #expect(try stage.run(program: Program.plumb, Self.groups + ["--split", "50"]).ending != .exit(3))
    #expect(try stage.run(program: Program.plumb, Self.groups + ["--split", "all"]).ending == .exit(64))
    let worse = try #require(outputs[Self.groups])
    #expect(worse.output.hasPrefix("experiment=new-cart against experiment=control: worse in "), "\(worse)")
    #expect(outputs[Self.groups + ["--where", "experiment=control"]]?.ending == .exit(64))
    let broken = try #require(outputs[check + ["--budgets", "arm.yaml"]])
    #expect(broken.ending == .exit(2) && broken.output.contains("experiment=new-cart"), "\(broken)")
    let wrong = try #require(outputs[check + ["--budgets", "wrong.yaml"]])
    #expect(
      wrong.ending == .exit(3)
        && wrong.errors.contains(
          "wrong.yaml:3:35: expected experiment, the attribute of com.example.shop, found \"region\""),
      "\(wrong)")
    #expect(outputs[check + ["--where", "region=DE"]]?.errors.contains("is experiment, not region") == true)
  }

  @Test("the app's attribute has its filter, breakdown and comparison on pages, in JSON and in CSV")
  func pages() throws {
    let stage = try Stage.ofTwoArms()
    let own = [("Authorization", "Bearer \(try stage.addToken())")]
    let server = try stage.serve("--open")
    func get(_ path: String) throws -> (status: Int, text: String) {
      let answer = try #require(server.connect().get(path, own))
      return (answer.status, answer.text)
    }
    let app = "/apps/\(Payload.app)"
    let page = try get("\(app)/metrics/screen.load?where=experiment%3Dnew-cart")
    #expect(page.status == 200 && page.text.contains("By experiment") && page.text.contains("Experiment: "))
    #expect(page.text.contains("where=experiment%3Dcontrol"))
    let json = try JSON(try get("/api/v1\(app)/metrics/screen.load?where=experiment=new-cart").text)
    #expect(json["slice"]["where"].text == "experiment=new-cart" && json["metric"]["n"].integer == 300)
    let parts = try get("/api/v1\(app)/metrics/screen.load?table=parts").text
    #expect(parts.contains("attribute,experiment=control,") && parts.contains("attribute,experiment=old-cart,"))
    let compared = try get("\(app)/compare?base=experiment!%3Dnew-cart&head=experiment%3Dnew-cart&release=4.2.0")
    #expect(compared.status == 200 && compared.text.contains("new-cart minus all but new-cart, both "))
    #expect(compared.text.contains("with the same weights for both groups"))
    // What the comparison is of, a page leaves out of its filters, and the API refuses.
    let query = "base=experiment=control&head=experiment=new-cart&where=experiment=control"
    #expect(try get("\(app)/compare?\(query)").status == 200)
    #expect(try get("/api/v1\(app)/compare?\(query)").status == 409)
    #expect(try get("/api/v1\(app)/report?where=region=DE").status == 409)
    #expect(try get("/api/v1\(app)/report?where=DE").status == 400)
    #expect(try get("\(app)?where=region=DE").status == 400)
    // A name that nobody set any more: its values are kept, and not offered.
    _ = try stage.run("app", "settings", Payload.app, "--attribute", "")
    let plain = try JSON(try get("/api/v1\(app)/metrics/screen.load").text)
    #expect(plain["metric"]["n"].integer == 900 && plain["by_attribute"].list.isEmpty)
    let two = try stage.run(
      "app", "settings", Payload.app, "--attribute", "region", "--attribute", "experiment", "--attribute", "region")
    #expect(two.succeeded && two.output.contains("attribute: experiment, region\n"), "\(two)")
    #expect(try get("\(app)?where=flavour=x").text.contains("are experiment, region, not flavour"))
    let six = try stage.run(
      program: Program.plumb, ["app", "settings", Payload.app] + (0..<6).flatMap { ["--attribute", "a\($0)"] })
    #expect(six.ending == .exit(64) && six.errors.contains("at most 5 attributes"), "\(six)")
    let refused = try stage.run("app", "settings", Payload.app, "--attribute", "no name")
    #expect(refused.ending == .exit(64) && refused.errors.contains("expected a name such as experiment"))
  }
}
