import class Foundation.FileManager
import struct Foundation.URL
import struct Foundation.UUID
import Testing
import TestSupport

@testable import Core
@testable import SQLiteStore
@testable import Storage

@Suite("Notes about groups and ticket templates")
struct GroupNoteTests {
  private let folder: TemporaryFolder
  private let store: SQLiteControlStore
  private let app: App
  private let now = Timestamp(milliseconds: 1_795_176_000_000)

  init() throws {
    folder = try TemporaryFolder()
    store = try SQLiteControlStore(folder: folder.path)
    app = try store.addApp(
      bundleID: "com.example.shop", settings: .init(), key: String(repeating: "a", count: 32), at: now)
  }

  @Test("a note is stored with its author, replaces those of merged groups, and is deleted when it is empty")
  func kept() throws {
    let ana = store.acting(as: Actor(.user, "ana"))
    let note = try GroupNote(typedOwner: "  Ana\n", text: "\n one\r\n two \u{202E}\u{1B}[2J \n\n", changed: now)
    #expect(note.owner == "Ana" && note.text == "one\n two \u{FFFD} [2J")
    try ana.setNote(note, of: app.id, group: 7, replacing: [])
    try ana.setNote(note, of: app.id, group: .max, replacing: [])
    #expect(try store.groupNotes(of: app.id)[7]?.author == "ana")
    #expect(try store.groupNotes(of: app.id).count == 2 && store.groupNotes(of: app.id + 1).isEmpty)
    try ana.setNote(GroupNote(owner: "", text: "whole", changed: now), of: app.id, group: 8, replacing: [7, .max])
    #expect(try store.groupNotes(of: app.id).mapValues(\.text) == [8: "whole"])
    try ana.setNote(GroupNote(owner: "", text: "", changed: now), of: app.id, group: 8, replacing: [])
    #expect(try store.groupNotes(of: app.id).isEmpty)
    let log = try store.auditEntries(AuditFilter(action: "group.note"))
    #expect(log.count == 4 && log.allSatisfy { $0.actor.name == "ana" && $0.event.app == "com.example.shop" })
    #expect(
      log.last?.event.detail == "owner Ana, a note of 14 characters" && log.last?.event.subject.hasSuffix("7") == true)
    // Deleting the app deletes what was written about its groups.
    try ana.setNote(note, of: app.id, group: 7, replacing: [])
    try store.eraseRecords(of: app.id)
    #expect(try store.groupNotes(of: app.id).isEmpty)
  }

  @Test("a note that is too long is refused with its length, and not cut")
  func bounds() throws {
    let most = try GroupNote(
      typedOwner: String(repeating: "ü", count: 100), text: String(repeating: "界", count: 2_000), changed: now)
    #expect(most.text.unicodeScalars.count == 2_000)
    #expect(throws: ControlError.invalid("note: expected at most 2000 characters, found 2001.")) {
      try GroupNote(typedOwner: "", text: String(repeating: "x", count: 2_001), changed: now)
    }
    #expect(throws: ControlError.invalid("owner: expected at most 100 characters, found 101.")) {
      try GroupNote(typedOwner: String(repeating: "x", count: 101), text: "", changed: now)
    }
  }

  @Test(
    "a ticket template must be an http or https address with a fixed host and known placeholders",
    arguments: [
      "", "javascript:alert({title})", "data:text/html,{title}", "ftp://t.example.com/{title}",
      "//t.example.com/{title}",
      "https://{title}/x", "https://t.{app}.com/x", "https://user:pass@t.example.com/{title}", "https:///{title}",
      "https://t.example.com\\@evil.example/{title}", "https://t.example.com/", "https://t.example.com/{name}",
      "https://t.example.com/{title", "https://t.example.com/title}", "https://t.example.com/{{title}}",
      "https://t.example.com/ {title}", "https://t.example.com/\n{title}", "https://t.example.com/\"{title}",
      "https://t.example.com/ü{title}", "https://t.example.com/" + String(repeating: "x", count: 1_000) + "{title}",
      " https://t.example.com/{title}", "https://?{title}", "https://:443/{title}",
    ])
  func refused(_ text: String) throws {
    let error = #expect(throws: ControlError.self) { try TicketTemplate(text) }
    #expect(error?.description.contains("Write it like https://") == true)
    var settings = app.settings
    settings.ticketURL = text
    #expect(throws: ControlError.self) { try store.changeSettings(of: app.id, to: settings) }
  }

  @Test("a ticket template is stored with the app, and its values cannot leave their place")
  func filled() throws {
    var settings = app.settings
    settings.ticketURL = "HTTPS://t.example.com:8443/{app}/new?t={title}&l=a%20b#{release}"
    try store.changeSettings(of: app.id, to: settings)
    let template = try TicketTemplate(try #require(try store.app(bundleID: "com.example.shop")?.settings.ticketURL))
    let address = template.address { name in
      switch name {
      case .app: ".."
      case .title: "a&b=c#d/é\u{0}{url}" + String(repeating: "x", count: 400)
      default: "../4.2"
      }
    }
    let rest = String(repeating: "x", count: 300 - 15)
    #expect(
      address
        == "HTTPS://t.example.com:8443//new?t=a%26b%3Dc%23d%2F%C3%A9%00%7Burl%7D\(rest)&l=a%20b#..%2F4.2")
    settings.ticketURL = nil
    try store.changeSettings(of: app.id, to: settings)
    #expect(try store.app(bundleID: "com.example.shop")?.settings.ticketURL == nil)
  }
}
