import Foundation
import Testing
import TestSupport

@Suite("Owners and notes of groups")
struct GroupNoteTests {
  private static let crash = """
    {"app":{"version":"4.2.0"},"device":{"model":"iPhone15,2","os":"iOS 17.4"},"crashes":[{"exception":"EXC_BAD_ACCESS",
    "threads":[{"crashed":true,"frames":[{"binary":"Shop","offset":4096,"function":"Cart.checkout()"}]}]}]}
    """

  private func addToken(_ stage: Stage, _ words: String...) throws -> (String, String) {
    let added = try stage.run(program: Program.plumb, ["token", "add"] + words)
    try #require(added.succeeded, "\(added.errors)")
    return ("Authorization", "Bearer " + added.output.trimmingCharacters(in: .whitespacesAndNewlines))
  }

  @Test("editors set a group's owner and note by form, API and command, audited, next to a link to the tracker")
  func roads() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let added = try stage.run(program: Program.plumb, ["user", "add", "ana"], input: "a long password\n")
    try #require(added.succeeded, "\(added.errors)")
    let template = "https://t.example.com/new?title={title}&body={url}"
    let set = try stage.run("app", "settings", Payload.app, "--ticket-url", template)
    #expect(set.output.contains("ticket URL: \(template)"), "\(set)")
    let refused = try stage.run("app", "settings", Payload.app, "--ticket-url", "javascript:{title}")
    #expect(!refused.succeeded && refused.errors.contains("--ticket-url: This is not a valid ticket URL"), "\(refused)")
    let editor = try addToken(stage, "editor", "--scope", "read,edit")
    let reader = try addToken(stage, "reader")
    let server = try stage.serve()
    #expect(Payload.post(Self.crash, to: server, key: key) == 202)
    _ = try stage.report { $0.metric("crash.count")["sum"].number == 1 }
    let client = server.connect()
    let root = "/api/v1/apps/\(Payload.app)/groups"
    let id = try #require(try JSON(client.get(root, [editor])?.text ?? "{}")["groups"][0]["id"].text)

    func send(_ body: String, _ who: (String, String)) -> Int? {
      client.send("POST", "\(root)/\(id)", [who], body: body)?.status
    }
    func group() throws -> JSON {
      try JSON(client.get("\(root)/\(id)", [reader])?.text ?? "{}")["group"]
    }
    #expect(send(#"{"owner":"Zoe"}"#, reader) == 403 && send("{}", editor) == 400)
    #expect(send(#"{"owner":"Zoe","note":"<b>one</b>\ntwo"}"#, editor) == 204)
    #expect(try group()["owner"].text == "Zoe" && group()["note"]["text"].text == "<b>one</b>\ntwo")
    #expect(try group()["note"]["author"].text == "editor")
    // What is missing stays; what is empty goes; what is too long is refused whole.
    #expect(send(#"{"owner":""}"#, editor) == 204)
    #expect(try group()["owner"].isNull && group()["note"]["text"].text == "<b>one</b>\ntwo")
    let long = String(repeating: "x", count: 2_001)
    #expect(
      send(#"{"note":"\#(long)"}"#, editor) == 400 && send(#"{"owner":"\#(long)","state":"ignored"}"#, editor) == 400)
    #expect(try group()["state"].text == "open", "nothing of a refused decision is stored")

    // The form, with the longest text that it takes.
    let own = [
      ("Host", "127.0.0.1:\(server.port)"), ("Origin", "http://127.0.0.1:\(server.port)"),
      ("Content-Type", "application/x-www-form-urlencoded"),
    ]
    let login = client.send("POST", "/login", own, body: "user=ana&password=a+long+password")
    let cookie = ("Cookie", try #require(login?.header("Set-Cookie")).components(separatedBy: "; ")[0])
    let text = String(repeating: "%E7%95%8C", count: 2_000)
    let page = "/apps/\(Payload.app)/groups/\(id)"
    let saved = client.send("POST", page, own + [cookie], body: "owner=Team+Cart&note=\(text)")
    #expect(saved?.status == 303 && saved?.header("Location") == page)
    #expect(try group()["note"]["text"].text == String(repeating: "界", count: 2_000))

    // The command, and what pages show.
    let noted = try stage.run("groups", "note", id, "--app", Payload.app, "--text", "Fixed <soon>")
    #expect(noted.output.contains("owner: Team Cart") && noted.output.contains("Fixed <soon>"), "\(noted)")
    #expect(try !stage.run("groups", "note", id, "--app", Payload.app, "--text", long).succeeded)
    #expect(try !stage.run("groups", "note", id, "--app", Payload.app).succeeded)
    #expect(try stage.run("groups", "show", id, "--app", Payload.app).output.contains("owner: Team Cart"))
    let browser = ("Accept", "text/html")
    for path in [page, "/apps/\(Payload.app)/groups?kind=crash"] {
      let shown = try #require(client.get(path, [cookie, browser])).text
      #expect(shown.contains("Team Cart") && shown.contains("Fixed &lt;soon&gt;"), "\(path)")
    }
    let shown = try #require(client.get(page, [cookie, browser])).text
    #expect(
      shown.contains("https://t.example.com/new?title=EXC_BAD_ACCESS%20in%20Cart.checkout%28%29&amp;body=http%3A%2F%2F")
    )
    #expect(shown.contains("%2Fapps%2F\(Payload.app)%2Fgroups%2F\(id)\""), "\(shown)")
    let log = try stage.run("audit", "--action", "group.note").output
    #expect(log.contains("owner Zoe, a note of 14 characters") && log.contains("user ana"), "\(log)")
    #expect(!log.contains("Fixed") && !log.contains("two"), "\(log)")
  }
}
