import Foundation
import Testing
import TestSupport

@testable import Core
@testable import Outbound
@testable import Storage

@Suite("The alerts section of the settings")
struct SettingsTests {
  private func read(_ yaml: String) throws -> AlertSettings {
    try AlertSettings.read(yaml: yaml, fileName: "plumb.yaml")
  }

  /// The errors, a line each.
  private func errors(_ yaml: String) -> [String] {
    do {
      _ = try read(yaml)
      return []
    } catch {
      return (error as? AlertSettingsErrors)?.errors.map(\.description) ?? ["\(error)"]
    }
  }

  @Test("every example of the documentation is read, and every kind of channel has one")
  func documentation() throws {
    let text = try Checkout.text("docs/alerting-channels.md")
    let examples = text.split(separator: "```yaml\n").dropFirst().compactMap { $0.split(separator: "```").first }
    var kinds: Set<String> = []
    for example in examples {
      let settings = try read(String(example))
      #expect(!settings.channels.isEmpty && !settings.defaultChannels.isEmpty)
      kinds.formUnion(settings.channels.map(\.kindName))
    }
    #expect(kinds == Set(ChannelKinds.all.map { $0.name }))
  }

  @Test("the commented example in deploy/plumb.yaml is valid")
  func deployed() throws {
    let text = try Checkout.text("deploy/plumb.yaml")
    #expect(try read(text) == AlertSettings())
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex { $0 == "# alerts:" })
    let section = lines[start...].prefix { $0.hasPrefix("#") }.map { $0.dropFirst(2) }.joined(separator: "\n")
    let settings = try read(section)
    #expect(settings.channels.count >= 2 && !settings.routes.isEmpty)
  }

  @Test("options of channels are read, and others have their defaults")
  func options() throws {
    let settings = try read(
      """
      listen: 127.0.0.1:8080
      alerts:
        channels:
          b: { kind: alertmanager, url: "http://10.0.0.1:9093", allow-private: true, lasting: 2 d, timeout: 3 s }
          a:
            kind: email
            host: smtp.example.com
            encryption: tls
            from: plumb@example.com
            to: oncall@example.com
            ca-file: /etc/ca.pem
          c: { kind: webhook, url: { env: HOOK }, secret: { file: /s }, proxy: "http://proxy:3128" }
        default: [a, b]
      """)
    #expect(settings.channels.map(\.name) == ["a", "b", "c"] && settings.defaultChannels == ["a", "b"])
    guard let mail = settings.channels[0].kind as? MailChannel,
      let server = settings.channels[1].kind as? AlertmanagerChannel,
      let webhook = settings.channels[2].kind as? WebhookChannel
    else {
      Issue.record("kinds")
      return
    }
    #expect(mail.port == 465 && mail.login == nil && mail.to.map(\.description) == ["oncall@example.com"])
    #expect(settings.channels[0].network.caFile == "/etc/ca.pem" && settings.channels[0].network.timeout == 10)
    #expect(server.lasting == 172_800 && settings.channels[1].network.allowsPrivate)
    #expect(settings.channels[1].network.timeout == 3 && !settings.channels[2].network.allowsPrivate)
    #expect(webhook.address == .secret(.environment("HOOK")) && webhook.signingKey == .file("/s"))
    #expect(settings.channels[2].network.proxy == "http://proxy:3128")
  }

  @Test("a file without the alerts section, or with an empty one, sends nothing")
  func none() throws {
    for yaml in ["", "listen: 127.0.0.1:8080", "# only a comment", "- a\n- list"] {
      #expect(try read(yaml) == AlertSettings())
    }
  }

  @Test("every error in the alerts section has its position and the expected form")
  func wrong() {
    let found = errors(
      """
      alerts:
        channels:
          team:
            kind: slak
          hook:
            kind: webhook
            urll: https://a.example
          plain:
            kind: webhook
            url: http://a.example
          "bad name": { kind: slack }
          mail: { kind: email, host: "a b", from: nobody, to: [a@b.c, "x@y\\nBcc: z"], port: 99999 }
        routes:
          - app: com.example.*
            severity: fatal
            channels: [team, nobody]
          - app: x
        defaults: [team]
      """)
    for expected in [
      "plumb.yaml:4:13: expected one of webhook, slack, discord, teams, pagerduty, alertmanager, email for kind, found \"slak\"",
      "plumb.yaml:7:7: unknown option \"urll\"", "the channel hook needs url",
      "plumb.yaml:9:7: url: the address must begin with https://",
      "plumb.yaml:11:5: expected a channel name", "expected a number from 1 to 65535 for port, found \"99999\"",
      "for host, found \"a b\"", "for from, found \"nobody\"", "for to, found \"x@y Bcc: z\"",
      "plumb.yaml:15:17: expected one of info, warning, critical for severity, found \"fatal\"",
      "there is no channel \"nobody\"", "plumb.yaml:17:7: a route needs `channels:`",
      "plumb.yaml:18:3: unknown key \"defaults\". Expected channels, routes or default",
    ] {
      #expect(found.contains { $0.contains(expected) }, "\(expected) is not in \(found)")
    }
    #expect(errors("alerts: [").first?.contains("not valid YAML") == true)
    #expect(errors("alerts: yes") == ["plumb.yaml:1:9: expected channels, routes and default, found \"yes\""])
  }

  @Test("a secret in the settings is refused, and the error does not repeat it")
  func secrets() {
    for yaml in [
      "{ kind: slack, url: https://hooks.slack.example/services/T0/s3cr3t }",
      "{ kind: pagerduty, routing-key: s3cr3t }",
      "{ kind: webhook, url: https://a.example, secret: s3cr3t }", "{ kind: slack, url: { env: s3cr3t/x } }",
      "{ kind: slack, url: { text: s3cr3t } }", "{ kind: discord, url: [s3cr3t] }",
      "{ kind: slack, url: { file: s3cr3t } }",
      "{ kind: alertmanager, url: https://a.example, user: u, password: s3cr3t }",
    ] {
      let found = errors("alerts:\n  channels:\n    c: \(yaml)\n")
      #expect(
        !found.isEmpty && found.allSatisfy { !$0.contains("s3cr3t") && $0.hasPrefix("plumb.yaml:3:") }, "\(found)")
      #expect(found.contains { $0.contains("{ env: NAME }") })
    }
  }

  @Test("a message goes to the channels of its routes, or else to the default")
  func routing() throws {
    let settings = try read(
      """
      alerts:
        channels:
          a: { kind: slack, url: { env: A } }
          b: { kind: slack, url: { env: B } }
          c: { kind: slack, url: { env: C } }
        routes:
          - { app: com.example.*, severity: critical, environment: production, channels: [b, a] }
          - { app: com.example.shop, channels: a }
          - { environment: [beta, "test-*"], channels: c }
        default: c
      """)
    func channels(_ app: String, _ severity: Severity, _ environment: String?) -> [String] {
      var message = Sample.message
      message.app = app
      message.severity = severity
      message.environment = environment
      return settings.channels(for: message)
    }
    #expect(channels("com.example.shop", .critical, "production") == ["b", "a"])
    #expect(channels("com.example.shop", .warning, "production") == ["a"])
    #expect(channels("com.example.news", .critical, "production") == ["b", "a"])
    #expect(channels("com.example.news", .critical, "beta") == ["c"])
    #expect(channels("com.example.shop", .critical, "test-7") == ["a", "c"])
    #expect(channels("org.other", .critical, nil) == ["c"])
  }

  @Test(
    "a glob matches like the equivalent regular expression",
    arguments: [
      "", "*", "a", "a*", "*a", "a*b", "*a*", "com.*.shop", "com.**", "*.*", "a*b*c", "**",
    ])
  func globs(pattern: String) throws {
    let expression = try Regex(
      "^"
        + pattern.split(separator: "*", omittingEmptySubsequences: false).map {
          NSRegularExpression.escapedPattern(for: String($0))
        }.joined(separator: ".*") + "$")
    for text in ["", "a", "b", "ab", "ba", "aab", "abc", "axbxc", "acb", "com.x.shop", "com.shop", "com..shop", "a.b"] {
      #expect(Glob.matches(text, pattern) == (text.wholeMatch(of: expression) != nil), "\(text) \(pattern)")
    }
  }

  @Test("an email address cannot become anything else")
  func addresses() {
    for wrong in [
      "", "a", "@", "a@", "@b.c", "a@b@c", "a b@c.d", "a@b c", "<a@b.c>", "a@b.c\r\nBcc: x@y.z", "a@b.c,d@e.f",
      "A <a@b.c>", "a@[1.2.3.4]", "ä@b.c", "a@-b", "a@.b",
    ] {
      #expect(MailAddress(wrong) == nil, "\(wrong)")
    }
    for right in ["a@b", "first.last+tag@sub.example.com", "o'neil@example.org"] {
      #expect(MailAddress(right)?.description == right)
    }
  }
}
