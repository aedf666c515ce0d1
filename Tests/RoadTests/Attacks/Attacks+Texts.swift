import Foundation
import Testing
import TestSupport

/// Texts that mean something to a terminal, or turn the order of letters around.
extension Attacks {
  @Test("control characters of crash texts, documents and envelopes reach no terminal, page, table or log")
  func controls() throws {
    let scene = try AttackScene()
    let bad = "\u{1B}[31mRED\u{7}\u{9B}1m\u{85}\u{202E}\u{2066}\u{200F}\u{2028}X"
    let escaped = String(
      decoding: try JSONSerialization.data(withJSONObject: [bad]), as: UTF8.self
    ).dropFirst(2).dropLast(2)
    let now = Date().ISO8601Format()
    let text = """
      Incident Identifier: 11111111-2222-3333-4444-555555555555
      Hardware Model:      iPhone15,2\(bad)
      Process:             Shop\(bad) [4711]
      Identifier:          com.example.shop\(bad)
      Version:             4.2\(bad) (12\(bad))
      Date/Time:           \(now.prefix(10)) \(now.dropFirst(11).prefix(8)).123 +0000
      OS Version:          iPhone OS 17.4\(bad) (21E\(bad)236)

      Exception Type:  EXC_CRASH\(bad) (SIGABRT)
      Termination Reason: SPRING\(bad) 0x8badf00d
      Triggered by Thread:  0

      Thread 0 Crashed:
      0   Shop\(bad)  0x0000000100001000 evil\(bad)func + 12
      1   UIKit\(bad)  0x0000000180001000 other\(bad) + 99

      Binary Images:
      0x100000000 - 0x10000ffff Shop\(bad) arm64  <0123456789abcdef0123456789abcdef> /var/\(bad)/Shop

      """
    let native = """
      {"app":{"bundle_id":"x\(escaped)","version":"5\(escaped)","build":"6\(escaped)"},
      "device":{"model":"i\(escaped)","os":"iOS 17\(escaped) (\(escaped))"},
      "measurements":[{"metric":"screen.load","label":"l\(escaped)","value":5}],
      "sessions":[{"id":"c","status":"ok"}],"crashes":[{"session":"c","exception":"E\(escaped)",
      "termination":"T\(escaped)","threads":[{"crashed":true,"frames":[
      {"binary":"b\(escaped)","function":"f\(escaped)","file":"g\(escaped)","line":3,"offset":3}]}]}]}
      """
    let envelope = """
      {}
      {"type":"client_report"}
      {"discarded_events":[{"reason":"r\(escaped)","category":"c\(escaped)","quantity":1}]}
      """
    try Watch.during(in: scene) {
      #expect(scene.post(AttackScene.attacked, text.utf8) == 202)
      #expect(scene.post(AttackScene.attacked, native.utf8) == 202)
      #expect(scene.post(AttackScene.attacked, envelope.utf8, to: "/api/1/envelope/") == 200)
      let areBothCounted = try eventually {
        let list = scene.get("/api/v1/apps/\(AttackScene.attacked)/groups?limit=\(Int.random(in: 1...500))")
        return try JSON(list?.text ?? "{}")["total"].integer == 2
      }
      #expect(areBothCounted)
    }
    for (source, output) in try outputs(of: scene) {
      let found = Set(output.unicodeScalars.filter(Self.isControl).map { String($0.value, radix: 16) })
      #expect(found.isEmpty, "\(source)")
      // In JSON they may stand escaped, and be themselves again for whoever prints it.
      let hidden = output.matches(of: /\\u(00[01][0-9a-fA-F]|00[89][0-9a-fA-F]|20[26][0-9a-eA-E])|\\[bf]/)
      #expect(hidden.isEmpty, "\(source)")
    }
  }

  /// Where people and terminals see what an app sent.
  private func outputs(of scene: AttackScene) throws -> [(String, String)] {
    let app = AttackScene.attacked
    var found: [(String, String)] = [("log", scene.server.child.errors)]
    for command in [["report"], ["report", "--format", "json"], ["groups", "list"], ["check"]] {
      let told = try scene.stage.run(program: Program.plumb, command + ["--app", app])
      found.append((command.joined(separator: " "), told.output + told.errors))
    }
    let api = "/api/v1/apps/\(app)"
    let groups = try JSON(scene.get(api + "/groups?limit=499")?.text ?? "{}")["groups"].list.compactMap {
      $0["id"].text
    }
    #expect(groups.count == 2)
    let releases = try JSON(scene.get(api + "/releases")?.text ?? "{}")["releases"].list
    let names = releases.compactMap { release in
      release["release"].text.map { name in release["build"].text.map { "\(name) (\($0))" } ?? name }
    }
    #expect(names.count == 2)
    if names.count == 2 {
      let told = try scene.stage.run("compare", "--app", app, "--base", names[0], "--head", names[1])
      found.append(("compare", told.output + told.errors))
    }
    for page in ["", "/groups", "/diagnostics", "/data-quality"] + groups.map({ "/groups/\($0)" }) {
      found.append(("page \(page)", scene.get("/apps/\(app)\(page)")?.text ?? ""))
    }
    for data in ["/report", "/groups", "/diagnostics", "/data-quality", "/releases"] + groups.map({ "/groups/\($0)" }) {
      found.append(("API \(data)", scene.get(api + data)?.text ?? ""))
      found.append(("CSV \(data)", scene.get(api + data, [("Accept", "text/csv")])?.text ?? ""))
    }
    for (source, output) in found where !["log", "check"].contains(source) { #expect(!output.isEmpty, "\(source)") }
    return found
  }

  /// ESC, BEL and the like, C1, and what turns the direction of a line. U+2068 and U+2069 are Plumb's own, around names.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0A, 0x0D, 0x09: false
    case ..<0x20, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2067, 0x061C: true
    default: false
    }
  }
}
