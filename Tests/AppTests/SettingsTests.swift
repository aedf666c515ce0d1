import Foundation
import TestSupport
import Testing

@testable import Analysis
@testable import App
@testable import Storage

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

  @Test("docs/settings.md has the defaults of the code")
  func defaults() throws {
    let scene = try AppScene()
    let settings = try scene.settings("{}")
    let options = PlumbServer.Options(listen: try settings.listenAddress(flag: nil))
    let (thresholds, samples, retention) = (AlertThresholds(), try settings.sampleLimits(), try settings.retention())
    let shards = try scene.settings("store: [clickhouse://a/plumb, clickhouse://b/plumb]\n").rowServers()
    var expected: [String: String] = [:]
    expected["listen"] = "\(options.listen.hostForURL):\(options.listen.port)"
    expected["check-every"] = options.checkEvery == nil ? "never" : "set"
    expected["group-share"] = "\(thresholds.groupShare * 100)%"
    expected["remind-after"] = "\((thresholds.reminder ?? 0) / 3_600_000)h"
    expected["release-age"] = "\(thresholds.releaseAge / 60)h"
    expected["stale-after"] = "\(thresholds.staleAfter / 60)h"
    expected["requests-per-second"] = "\(Settings.Default.requestsPerSecond)"
    expected["rows-per-day"] = "\(Settings.Default.rowsPerDay)"
    expected["bytes-per-day"] = "\(try settings.bytesPerDay() >> 30)GiB"
    expected["body-limit"] = "\(Settings.Default.bodyLimit)"
    for kind in Retention.kinds { expected[kind.key] = "\(retention[keyPath: kind.days])d" }
    expected["samples-newest"] = "\(samples.newest)"
    expected["samples-typical"] = "\(samples.typical)"
    expected["samples-limit"] = "\(samples.bytes)"
    expected["sessions-limit"] = "\(retention.mostSessions)"
    expected["symbols-limit"] = "\(Settings.Default.symbolsLimit)"
    expected["upload-limit"] = "\(Settings.Default.uploadLimit)"
    expected["journal-limit"] = "\(try settings.journalLimit() >> 30)GiB"
    expected["symbols-sandbox"] = "\(try settings.sandbox())"
    expected["store-cluster"] = shards?.cluster
    let documented = try Self.documentedDefaults()
    for (key, value) in expected { #expect(documented[key] == value, "\(key)") }
    #expect(expected.count == 25, "\(expected.count)")
    // Other tests have `data` (FolderTests) and `free-space` (SpaceTests). The rest are not numbers.
    let others = documented.filter { expected[$0.key] == nil && $0.value != "not set" && $0.key != "nightly-copy" }
    let known: Set = ["data", "public-url", "login", "free-space", "symbolizer", "store-ca-file", "standby-of"]
    #expect(Set(others.keys) == known)
  }

  /// The default of each key in the tables of docs/settings.md.
  private static func documentedDefaults() throws -> [String: String] {
    let marks = CharacterSet(charactersIn: " `")
    var found: [String: String] = [:]
    for line in try Checkout.text("docs/settings.md").split(separator: "\n") where line.hasPrefix("| `") {
      let cells = line.split(separator: "|").map(String.init)
      let keys = cells[0].components(separatedBy: ",").map { $0.trimmingCharacters(in: marks) }
      let values = cells[1].components(separatedBy: ",").map { $0.trimmingCharacters(in: marks) }
      for (index, key) in keys.filter({ !$0.hasPrefix("--") }).enumerated() {
        found[key] = values[min(index, values.count - 1)]
      }
    }
    return found
  }

  @Test("store.yaml names where the password of ClickHouse is, and no file of the folder has the password")
  func clickHousePassword() throws {
    let scene = try AppScene()
    let secrets = try TemporaryFolder("plumb-secret")
    let path = try secrets.write("hunter-2-of-clickhouse\n", to: "password")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    let store = "store: clickhouse://plumb@ch-1.example.com/plumb\nstore-password: file:\(path)\n"
    let servers = try #require(try scene.settings(store).rowServers())
    let folder = scene.installation.folder
    try servers.write(folder)
    _ = try servers.connect()
    #expect(try ClickHouseServers.read(folder) == servers)
    for name in try FileManager.default.subpathsOfDirectory(atPath: scene.path) {
      let bytes = FileManager.default.contents(atPath: scene.path + "/" + name)
      #expect(bytes?.range(of: Data("hunter-2".utf8)) == nil, "\(name)")
    }
    withExtendedLifetime(secrets) {}
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
