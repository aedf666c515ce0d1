import Foundation
import Testing
import TestSupport

@testable import Core
@testable import SQLiteStore
@testable import Storage

func key(_ digit: Character) -> String { String(repeating: digit, count: 32) }

func day(_ number: Int64) -> Timestamp { Timestamp(milliseconds: number * 86_400_000) }

@Suite("The control store: apps and keys")
struct AppDirectoryTests {
  @Test("an app reads back as it was added, even after the store was closed")
  func add() throws {
    try withFolder { folder in
      let settings = AppSettings(
        timeZone: "Europe/Berlin", keepsExceptionText: true, ownBinaries: ["Charts", "Shop Network"])
      let added = try SQLiteControlStore(folder: folder)
        .addApp(bundleID: "com.example.shop", settings: settings, key: key("a"), at: day(1))
      let expected = App(
        id: added.id, bundleID: "com.example.shop", created: day(1), settings: settings,
        keys: [IngestKey(key: key("a"), app: added.id, created: day(1))])
      #expect(added == expected)
      let reopened = try SQLiteControlStore(folder: folder)
      #expect(try reopened.apps() == [expected])
      #expect(try reopened.app(bundleID: "com.example.shop") == expected)
      #expect(try reopened.app(bundleID: "com.example.Shop") == nil)
    }
  }

  @Test("a refused addition leaves the store unchanged")
  func refused() throws {
    try withFolder { folder in
      let store = try SQLiteControlStore(folder: folder)
      _ = try store.addApp(bundleID: "a.b", settings: .init(), key: key("a"), at: day(1))
      let version = try store.version()
      #expect(throws: ControlError.appExists("a.b")) {
        try store.addApp(bundleID: "a.b", settings: .init(), key: key("b"), at: day(1))
      }
      #expect(throws: ControlError.keyExists(key("a"))) {
        try store.addApp(bundleID: "c.d", settings: .init(), key: key("a"), at: day(1))
      }
      for bundleID in ["", "two words", "a/b", ".", "..", "é.b", "-x", "a\u{0}b", String(repeating: "x", count: 200)] {
        #expect(throws: ControlError.self, "\(bundleID)") {
          try store.addApp(bundleID: bundleID, settings: .init(), key: key("b"), at: day(1))
        }
      }
      for wrong in ["", "abc", key("A"), key("g"), key("a") + "a"] {
        #expect(throws: ControlError.self, "\(wrong)") {
          try store.addApp(bundleID: "c.d", settings: .init(), key: wrong, at: day(1))
        }
      }
      for zone in ["", "Mars/Olympus", "CET; DROP TABLE app", "PST", "../etc/passwd"] {
        #expect(throws: ControlError.self, "\(zone)") {
          try store.addApp(bundleID: "c.d", settings: .init(timeZone: zone), key: key("b"), at: day(1))
        }
      }
      #expect(try store.apps().map(\.bundleID) == ["a.b"])
      #expect(try store.version() == version)
    }
  }

  @Test("a rotated key works for the days of the overlap, and a second rotation does not extend them")
  func rotation() throws {
    try withFolder { folder in
      let store = try SQLiteControlStore(folder: folder)
      let app = try store.addApp(bundleID: "a.b", settings: .init(), key: key("a"), at: day(0)).id
      let once = try store.rotateKey(of: app, to: key("b"), at: day(10), overlapDays: IngestKey.defaultOverlapDays)
      #expect(once.keys.map(\.key) == [key("b"), key("a")])
      #expect(once.keys.map(\.retires) == [nil, day(24)])
      #expect(once.keys[1].isValid(at: Timestamp(milliseconds: day(24).milliseconds - 1)))
      #expect(!once.keys[1].isValid(at: day(24)))

      let twice = try store.rotateKey(of: app, to: key("c"), at: day(20), overlapDays: 30)
      #expect(twice.keys.map(\.key) == [key("c"), key("b"), key("a")])
      #expect(twice.keys.map(\.retires) == [nil, day(50), day(24)])

      let atOnce = try store.rotateKey(of: app, to: key("d"), at: day(21), overlapDays: 0)
      #expect(atOnce.keys.filter { $0.isValid(at: day(21)) }.map(\.key) == [key("d")])
      #expect(throws: ControlError.self) { try store.rotateKey(of: app, to: key("e"), at: day(1), overlapDays: -1) }
      #expect(throws: ControlError.self) { try store.rotateKey(of: app, to: key("e"), at: day(1), overlapDays: .max) }
      #expect(throws: ControlError.self) { try store.rotateKey(of: 99, to: key("e"), at: day(1), overlapDays: 1) }
    }
  }

  @Test("the number of a removed app is not reused, and its keys are deleted")
  func removal() throws {
    try withFolder { folder in
      let store = try SQLiteControlStore(folder: folder)
      let first = try store.addApp(bundleID: "a.b", settings: .init(), key: key("a"), at: day(0)).id
      try store.removeApp(first)
      #expect(try store.apps().isEmpty)
      let second = try store.addApp(bundleID: "a.b", settings: .init(), key: key("a"), at: day(0)).id
      #expect(second > first)
      #expect(throws: ControlError.self) { try store.removeApp(first) }
    }
  }

  @Test("an app's settings are replaced completely")
  func settings() throws {
    try withFolder { folder in
      let store = try SQLiteControlStore(folder: folder)
      let app = try store.addApp(bundleID: "a.b", settings: .init(), key: key("a"), at: day(0))
      #expect(app.settings == AppSettings(timeZone: "UTC", keepsExceptionText: false))
      try store.changeSettings(of: app.id, to: .init(timeZone: "America/New_York", keepsExceptionText: true))
      #expect(try store.apps().first?.settings.timeZone == "America/New_York")
      #expect(try store.apps().first?.settings.keepsExceptionText == true)
      #expect(throws: ControlError.self) { try store.changeSettings(of: 99, to: .init()) }
    }
  }

  @Test("a time zone has its summer time")
  func zones() throws {
    let berlin = try #require(AppTimeZone(name: "Europe/Berlin"))
    let winter = try #require(Timestamp(iso: "2026-03-29T00:59:59Z"))
    let summer = try #require(Timestamp(iso: "2026-03-29T01:00:00Z"))
    #expect(berlin.utcOffsetSeconds(at: winter) == 3600)
    #expect(berlin.utcOffsetSeconds(at: summer) == 7200)
    #expect(try #require(AppTimeZone(name: "UTC")).utcOffsetSeconds(at: summer) == 0)
    #expect(try #require(AppTimeZone(name: "Asia/Kathmandu")).utcOffsetSeconds(at: summer) == 20_700)
  }

  @Test(
    "the clock of a time zone has every change of the last three years",
    arguments: [
      "Europe/Berlin", "America/New_York", "Pacific/Auckland", "Africa/Casablanca", "America/Asuncion", "Asia/Almaty",
      "Asia/Kathmandu", "UTC",
    ])
  func clocks(name: String) throws {
    let zone = try #require(AppTimeZone(name: name))
    let now = try #require(Timestamp(iso: "2026-11-20T12:00:00Z"))
    let clock = zone.clock(around: now)
    let first = now.milliseconds - 3 * 366 * 86_400_000
    for instant in stride(from: first, through: now.milliseconds + 7 * 86_400_000, by: 1_800_000) {
      let instant = Timestamp(milliseconds: instant)
      if clock.utcOffsetSeconds(at: instant) != zone.utcOffsetSeconds(at: instant) {
        Issue.record("\(name) at \(instant.iso)")
        break
      }
    }
  }
}
