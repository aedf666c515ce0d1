import Foundation
import Testing
import TestSupport

/// Fifty likely mistakes of users and what `plumb` prints for each, in a file that an editor can read at once.
@Suite("Errors of commands")
struct MistakeTests {
  private let stage: Stage
  private let busy = Sink { _, _ in .status(501) }

  init() throws {
    stage = try Stage()
    let native = Payload.native(
      "\"sessions\":[{\"id\":\"s-1\",\"started\":\"yesterday\",\"status\":\"exited\"}]")
    for (name, text) in [
      ("notes.txt", "x\n"), ("bad.json", "{\"app\":"), ("time.json", native),
      ("typo.yaml", "budgets:\n  - p90 launch.first_drow <= 2 s\n"),
      ("unit.yaml", "budgets:\n  - p90 launch.first_draw <= 2 sec\n"),
      ("other.yaml", "app: com.example.other\nbudgets:\n  - sessions.crash_free >= 99%\n"),
      ("key.yaml", "liten: 127.0.0.1:8080\n"), ("keep.yaml", "keep-fine: 2h\n"), ("syntax.yaml", "listen: [a\n"),
      ("number.yaml", "rows-per-day: many\n"),
      (
        "secret.yaml",
        "alerts:\n  channels:\n      team: { kind: slack, url: https://hooks.example.com/SECRET }\n"
      ),
      (
        "default.yaml",
        "alerts:\n  channels:\n      team: { kind: slack, url: { env: HOOK } }\n  default: [tema]\n"
      ), ("login.yaml", "login:\n  oidc:\n    issuer: https://id.example.com\n    client-id: plumb\n"),
      ("channel.yaml", "alerts:\n  channels:\n      team: { kind: slack, url: { env: HOOK } }\n"),
    ] { try stage.write(text, to: name) }
    try FileManager.default.createDirectory(atPath: stage.folder + "/empty", withIntermediateDirectories: true)
    _ = try stage.addApp()
  }

  /// `BUSY` and `SERVER`: the addresses of a program that is not Plumb, and of Plumb.
  private static let mistakes = """
    sevre
    app ad com.example.shop
    check --budget x.yaml
    report
    report --app com.example.shop --format xml
    app add
    app add My_App!
    app add com.example.shop
    app add com.example.notes --time-zone Berlin
    app settings com.example.shop --icon notes.txt
    report --app com.example.shpo
    report --app com.example.shop --data nowhere
    report --app com.example.shop --from 20.11.2026
    report --app com.example.shop --where region
    check --from 2026-11-20 --to 2026-11-01
    check --budgets nowhere.yaml
    check --budgets typo.yaml
    check --budgets other.yaml
    check --remind-after soon
    check --stateless
    budgets lint unit.yaml
    budgets init --out typo.yaml
    compare --app com.example.shop --base 4.1.0 --head 4.1.0
    compare --app com.example.shop --base 4.1.0 --head 4.2.0
    check --server http://127.0.0.1:1 --token x
    check --server https://plumb.example.com
    check --server plumb.example.com --token x
    check --server BUSY --token x
    check --server SERVER --token wrong
    import nowhere.json --app com.example.shop
    import time.json --app com.example.shop
    import bad.json --app com.example.shop
    serve --listen 8080
    serve --listen LISTEN
    serve --listen 0.0.0.0:0 --open
    serve --config nowhere.yaml
    serve --config key.yaml
    serve --config keep.yaml
    serve --config number.yaml
    serve --config syntax.yaml
    serve --config secret.yaml
    serve --config default.yaml
    serve --config login.yaml
    serve --public-url plumb.example.com
    user role ana owner
    token add ci --scope write
    token add ci --expires 2020-01-01T00:00:00Z
    delete app com.example.shop
    silence add --for 2 --reason x
    groups show 3f2a9c01d4e5b678 --app com.example.shop
    alerts test team --config channel.yaml
    digest --send
    symbols upload empty
    restore --from notes.txt --data new
    redigest --from nowhere
    verify --from empty
    store copy --from data --to mysql://x
    ingest --primary http://plumb.example.com --token x
    """

  @Test("every likely mistake ends with the message that the file of mistakes has")
  func messages() throws {
    let server = try stage.serve()
    let addresses = [
      ("BUSY", "http://127.0.0.1:\(busy.port)"), ("SERVER", "http://127.0.0.1:\(server.port)"),
      ("LISTEN", "127.0.0.1:\(busy.port)"),
    ]
    var found = ""
    for line in Self.mistakes.split(separator: "\n") {
      let words = addresses.reduce(String(line)) { $0.replacing($1.0, with: $1.1) }.split(separator: " ").map(
        String.init)
      // A server has the folder `data`.
      let folder = line.hasPrefix("serve") ? "fresh" : "data"
      let told = try stage.run(program: Program.plumb, words, environment: ["PLUMB_DATA": folder], limit: 60)
      let ending = try #require(told.ending, "plumb \(line) does not end")
      #expect(ending != .exit(0), "plumb \(line) succeeds")
      let printed = (told.output + told.errors).split(separator: "\n").map(String.init)
      let message = printed.prefix { !$0.hasPrefix("Usage:") }
      #expect((1...3).contains(message.count), "plumb \(line) prints \(message.count) lines: \(message)")
      #expect(!told.errors.contains("SECRET"), "plumb \(line) prints a secret")
      var shown = ["$ plumb \(line)"] + message
      if let usage = printed.first(where: { $0.hasPrefix("Usage:") }) { shown.append(Self.cut(usage)) }
      if case .exit(let status) = ending { shown.append("status \(status)") }
      found += shown.joined(separator: "\n") + "\n\n"
    }
    for (name, address) in addresses { found.replace(address, with: name) }
    found.replace(stage.folder + "/", with: "")
    #expect(try Golden.difference(found.utf8, from: "Tests/RoadTests/Golden/mistakes.txt") == nil)
  }

  /// The command that a line of usage is about.
  private static func cut(_ usage: String) -> String {
    usage.split(separator: " ").prefix { !$0.hasPrefix("[") && !$0.hasPrefix("<") && !$0.hasPrefix("--") }
      .joined(separator: " ")
  }
}
