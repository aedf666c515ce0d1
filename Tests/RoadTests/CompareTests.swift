import Foundation
import Testing
import TestSupport

@Suite("Comparisons of releases")
struct ReleaseCompareTests {
  @Test("a comparison has equal bytes from command and server, a page, and an exit code for gates")
  func sameBytes() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let own = [("Authorization", "Bearer \(try stage.addToken())")]
    let server = try stage.serve()
    for (release, offset) in [("4.1.0", 0), ("4.2.0", 400)] {
      for phone in 0..<60 {
        let body = Payload.native(
          Payload.measurements("screen.load", (0..<5).map { 500 + offset + (phone * 5 + $0) % 100 }), release: release,
          device: "iPhone15,2")
        #expect(Payload.post(body, to: server, key: key) == 202)
      }
    }
    _ = try stage.report { $0["metrics"][0]["n"].integer == 600 }
    let flags = ["compare", "--app", Payload.app, "--base", "4.1.0", "--head", "4.2.0"]
    let (told, answer) = try stage.inOneStep {
      (
        try stage.run(program: Program.plumb, flags + ["--format", "json"]),
        server.connect().get("/api/v1/apps/\(Payload.app)/compare?base=4.1.0&head=4.2.0", own)
      )
    }
    #expect(told.ending == .exit(2), "\(told.errors)")
    #expect(answer?.status == 200 && answer?.text == told.output)
    let metric = try JSON(told.output)["metrics"][0]
    #expect(metric["verdict"].text == "worse" && metric["base"]["n"].integer == 300)
    let page = server.connect().get("/apps/\(Payload.app)/compare?base=4.1.0&head=4.2.0", own)
    #expect(page?.status == 200 && page?.text.contains("Worse") == true)
    #expect(server.connect().get("/apps/\(Payload.app)/compare?base=4.1.0", own)?.status == 400)
    #expect(server.connect().get("/api/v1/apps/\(Payload.app)/compare?base=9&head=4.1.0", own)?.status == 409)
    let nothing = server.connect().get("/apps/\(Payload.app)/compare?base=9&head=4.1.0", own)
    // A page with a way on, and not a dead end.
    #expect(nothing?.status == 400 && nothing?.text.contains("No data for release 9") == true)
    let compare = "/apps/\(Payload.app)/compare?base=4.1.0&head="
    let rollout = "/apps/\(Payload.app)/releases/4.2.0/rollout?"
    for (address, reason) in [
      (compare + "4.1.0", "name two different releases"), (compare + "region=DE", "region"),
      (compare + "4.2.0&split=0x32", "split: "), (compare + "4.2.0&split=120", "split: "),
      (compare + "4.2.0&split=50", "split: "), (compare + "4.2.0&step=%2B5", "step: "),
      (compare + "4.2.0&from=20261120", "from: "), (compare + "4.2.0&focus=main", "focus: "),
      (compare + "4.2.0&head=4.2.0", "head: found more than once"), (rollout + "base=9", "No data for release 9"),
      (rollout + "base=4.2.0", "name two different releases"), (rollout + "to=1", "to: "),
      ("/apps/\(Payload.app)?wall=blue", "wall: "), ("/apps/\(Payload.app)/groups/00000000000000aa?focus=1", "focus: "),
      ("/apps/\(Payload.app)/groups?kind=crashes", "kind: "),
    ] {
      let page = server.connect().get(address, own + [("Accept", "text/html")])
      #expect(page?.status == 400 && page?.text.contains(reason) == true, "\(address): \(page?.status ?? 0)")
    }
    #expect(server.connect().get(compare + "4.2.0&focus=00000000000000aa", own)?.status == 200)
    let markdown = try stage.run(program: Program.plumb, flags + ["--format", "markdown"])
    #expect(markdown.output.hasPrefix("4.2.0 against 4.1.0: worse in Screen load (p90)"))
    #expect(try stage.run(program: Program.plumb, flags.dropLast() + ["4.1.0"]).ending == .exit(64))
    #expect(try stage.run(program: Program.plumb, flags.dropLast() + ["9.9"]).ending == .exit(3))
  }
}
