import Foundation
import TestSupport
import Testing

@testable import App

@Suite("Settings")
struct SettingsTests {
  @Test("a flag takes precedence over the environment, then the file, then the default")
  func precedence() throws {
    let scene = try AppScene()
    let path = try scene.write("listen: 127.0.0.1:1\nrows-per-day: 7\n", to: "plumb.yaml")
    let settings = try Settings(path: path, environment: ["PLUMB_LISTEN": "127.0.0.1:2", "PLUMB_BODY_LIMIT": "9"])
    #expect(settings.value("listen", flag: "127.0.0.1:3") == "127.0.0.1:3")
    #expect(settings.value("listen", flag: nil) == "127.0.0.1:2")
    #expect(try settings.number("rows-per-day", default: 1) == 7)
    #expect(try settings.number("body-limit", default: 1) == 9)
    #expect(try settings.number("upload-limit", default: 1) == 1)
    #expect(settings.value("budgets", flag: nil) == nil)
  }

  @Test(
    "a settings file with an error is refused at its line and column",
    arguments: [
      ("data: x\nliten: 1\n", ":2:1: unknown setting"), ("listen: [a, b]\n", ":1:1: listen: expected one value"),
      ("- listen\n", ": expected lines such as"), ("", ": the file is empty or not YAML"),
      ("alerts: &a [1]\nlogin: *a\n", ":2:8: aliases such as *name are not supported"),
    ])
  func errors(yaml: String, expected: String) throws {
    let scene = try AppScene()
    let error = try #require(throws: UsageError.self) { try scene.settings(yaml) }
    #expect(error.description.contains("plumb.yaml" + expected), "\(error)")
  }

  @Test("docs/settings.md has every setting")
  func document() throws {
    let document = try Checkout.text("docs/settings.md")
    for key in Settings.keys + ["alerts", "login"] {
      #expect(document.contains("`\(key)`"), "docs/settings.md does not have \(key)")
    }
  }

  @Test("invalid shares, times and positive numbers in settings are refused with the expected form")
  func values() throws {
    let settings = try AppScene().settings("{}")
    #expect(try settings.share("group-share", flag: "0.5 %") == 0.005)
    #expect(try settings.share("group-share", flag: "0.25") == 0.25)
    #expect(try settings.span("stale-after", flag: "36h")?.minutes == 2160)
    #expect(try settings.span("stale-after", flag: nil) == nil)
    for text in ["0", "1", "100%", "x", "-5%"] {
      #expect(throws: UsageError.self, "\(text)") { try settings.share("group-share", flag: text) }
    }
    #expect(throws: UsageError.self) { try settings.span("stale-after", flag: "soon") }
    for text in ["0", "-1", "many"] {
      let settings = try AppScene().settings("rows-per-day: \"\(text)\"\n")
      #expect(throws: UsageError.self, "\(text)") { try settings.number("rows-per-day", default: 1) }
    }
  }
}
