import Foundation
import Testing
import TestSupport

@testable import Analysis
@testable import App
@testable import Core
@testable import Storage

/// Two folders: one is fed everything and then deletes a part, the other never had the part. Their reports must be the
/// same bytes.
@Suite("Deletions")
struct ErasureTests {
  /// A document with a session, and labelled and unlabelled measurements.
  private static func document(
    _ id: String, user: String, release: String = "4.2.0", model: String = "iPhone15,2", status: String = "exited",
    value: Double, label: String = "Cart", metric: String = "screen.load", at: Timestamp = AppScene.now
  ) -> String {
    // One in three has no value of the app's attributes, another values of both.
    let arm = [
      #""attributes":{"experiment":"new-cart","region":"DE"},"#, #""attributes":{"experiment":"control"},"#, "",
    ][
      id.utf8.reduce(0) { $0 + Int($1) } % 3]
    return """
      {\(arm)"app":{"bundle_id":"\(AppScene.app)","version":"\(release)","build":"1"},\
      "device":{"model":"\(model)","os":"iOS 17.4.1"},"installation":"\(user)",\
      "sessions":[{"id":"\(id)","status":"\(status)","started":"\(at.iso)"}],\
      "measurements":[{"metric":"\(metric)","value":\(value),"label":"\(label)","time":"\(at.iso)"},\
      {"metric":"own.\(metric)","unit":"ms","value":\(value * 3)}]}
      """
  }

  private static let day: Int64 = 86_400_000
  private static let earlier = Timestamp(milliseconds: AppScene.now.milliseconds - day)

  /// Documents of 40 people on two days, in two releases and on two devices, with crashes.
  private static var fleet: [String] {
    (0..<40).map { (number: Int) -> String in
      let release = number % 3 == 0 ? "4.1.0" : "4.2.0"
      let model = number % 2 == 0 ? "iPhone15,2" : "iPad13,1"
      let status = number % 7 == 0 ? "crashed" : "exited"
      let time = number % 4 == 0 ? earlier : AppScene.now
      return document(
        "s\(number)", user: "u\(number % 20)", release: release, model: model, status: status,
        value: Double(50 + 13 * number), at: time)
    }
  }

  /// Feeds `kept` and `gone` to one folder, which then deletes, and `kept` alone to another, and compares.
  private func compare(
    kept: [String], gone: [String], key: String? = nil, clearing: Bool = false,
    _ scope: (AppScene) throws -> ErasureScope
  ) throws {
    let (fed, clean) = (try AppScene(), try AppScene())
    let middle = kept.count / 2
    try fed.fill(Array(kept[..<middle]))
    try fed.fill(gone, key: key)
    try fed.fill(Array(kept[middle...]))
    try clean.fill(kept)
    if clearing { for scene in [fed, clean] { try scene.clearJournal() } }
    #expect(try fed.numbers() != clean.numbers())
    let done = try fed.delete(scope(fed))
    #expect(!done.isRefused, "\(done.statement)")
    #expect(try fed.numbers() == clean.numbers(), "\(done.statement)")
    #expect(try fed.names() == clean.names())
    // Once more finds nothing, and what is sent later counts as usual.
    #expect(try !fed.delete(scope(fed)).isRefused)
    #expect(try fed.numbers() == clean.numbers())
    let later = [Self.document("later", user: "new", value: 9)]
    try fed.fill(later)
    try clean.fill(later)
    #expect(try fed.numbers() == clean.numbers())
  }

  @Test("deleting a user's sessions leaves the numbers of a folder without them", arguments: [false, true])
  func user(clearing: Bool) throws {
    let gone = (0..<3).map { number in
      """
      {"app":{"bundle_id":"\(AppScene.app)","version":"4.2.0","build":"1"},\
      "device":{"model":"iPhone15,2","os":"iOS 17.4.1"},"installation":"gone",\
      "sessions":[{"id":"g\(number)","status":"\(number == 0 ? "crashed" : "exited")",\
      "started":"\((number == 1 ? Self.earlier : AppScene.now).iso)"}]}
      """
    }
    try compare(kept: Self.fleet, gone: gone, clearing: clearing) { try .user($0.hash("gone", scope: "user 1")) }
  }

  /// A crash with the stack of a cause.
  private static func crash(_ id: String, user: String, cause: String, at: Timestamp = AppScene.now) -> String {
    """
    {"app":{"bundle_id":"\(AppScene.app)","version":"4.2.0","build":"1"},\
    "device":{"model":"iPhone15,2","os":"iOS 17.4.1"},"installation":"\(user)",\
    "crashes":[{"at":"\(at.iso)","session":"\(id)","exception":"EXC_BAD_ACCESS","signal":"SIGSEGV","threads":[\
    {"crashed":true,"frames":[{"binary":"Shop","uuid":"cdb53ddb-2337-4933-b62f-4356e6174af0","offset":16,\
    "function":"\(cause)()","file":"Shop.swift","line":12}]}]}]}
    """
  }

  private static var crashes: [String] {
    (0..<10).map { (number: Int) -> String in
      crash("c\(number)", user: "u\(number)", cause: "cause\(number % 3)", at: number % 2 == 0 ? earlier : AppScene.now)
    }
  }

  @Test("deleting a user's crashes removes them from every count, and causes with no others", arguments: [false, true])
  func crashes(clearing: Bool) throws {
    let gone = [
      Self.crash("g1", user: "gone", cause: "cause1"), Self.crash("g2", user: "gone", cause: "onlyHere"),
      Self.crash("g3", user: "gone", cause: "onlyHere", at: Self.earlier),
    ]
    try compare(kept: Self.fleet + Self.crashes, gone: gone, clearing: clearing) {
      try .user($0.hash("gone", scope: "user 1"))
    }
  }

  @Test("a payload with a deleted crash is digested again without it")
  func crashPayload() throws {
    let gone = [Self.crash("g", user: "gone", cause: "onlyHere")]
    try compare(kept: Self.crashes, gone: gone, key: "the key") { try .payload($0.hash("the key", scope: "receipt 1")) }
  }

  @Test("deleting a payload by its key removes its values from every sum")
  func payload() throws {
    let gone = [Self.document("g", user: "gone", status: "crashed", value: 99_999, label: "Only here")]
    try compare(kept: Self.fleet, gone: gone, key: "the key") { try .payload($0.hash("the key", scope: "receipt 1")) }
  }

  @Test("deleting a label removes its values from the sums over all labels")
  func label() throws {
    let values = (0..<30).map { "{\"metric\":\"screen.load\",\"value\":\(10 * $0 + 5),\"label\":\"Secret\"}" }
    let kept = "{\"metric\":\"screen.load\",\"value\":77,\"label\":\"Cart\"}"
    func document(_ measurements: [String]) -> String {
      """
      {"app":{"bundle_id":"\(AppScene.app)","version":"4.2.0","build":"1"},\
      "device":{"model":"iPhone15,2","os":"iOS 17.4.1"},"installation":"a",\
      "measurements":[\(measurements.joined(separator: ","))]}
      """
    }
    let (fed, clean) = (try AppScene(), try AppScene())
    try fed.fill(Self.fleet + [document(values + [kept])])
    try clean.fill(Self.fleet + [document([kept])])
    #expect(try !fed.delete(.label("Secret", metric: "screen.load")).isRefused)
    #expect(try fed.numbers() == clean.numbers())
    #expect(try fed.names() == clean.names())
  }

  @Test("deleting a release leaves the numbers of other releases unchanged", arguments: [false, true])
  func release(clearing: Bool) throws {
    let gone = (0..<12).map { (number: Int) -> String in
      let status = number % 2 == 0 ? "crashed" : "exited"
      let time = number % 3 == 0 ? Self.earlier : AppScene.now
      return Self.document(
        "g\(number)", user: "u\(number)", release: "9.9.9", model: "iPhone16,1", status: status,
        value: Double(7 * number + 1), at: time)
    }
    try compare(kept: Self.fleet, gone: gone, clearing: clearing) { _ in .release("9.9.9") }
  }

  @Test("deleting days leaves the numbers of other days unchanged", arguments: [false, true])
  func days(clearing: Bool) throws {
    let old = Timestamp(milliseconds: AppScene.now.milliseconds - 2 * Self.day)
    let gone = (0..<9).map { number in
      """
      {"app":{"bundle_id":"\(AppScene.app)","version":"4.2.0","build":"1"},\
      "device":{"model":"iPhone15,2","os":"iOS 17.4.1"},"installation":"u\(number)",\
      "sessions":[{"id":"g\(number)","status":"exited","started":"\(old.iso)"}]}
      """
    }
    try compare(kept: Self.fleet, gone: gone, clearing: clearing) { _ in .days(Window(from: old.day(), to: old.day())) }
  }

  @Test("deleting a metric leaves other metrics unchanged", arguments: [false, true])
  func metric(clearing: Bool) throws {
    let (fed, clean) = (try AppScene(), try AppScene())
    let extra = "{\"metric\":\"my.secret\",\"unit\":\"ms\",\"value\":3}]}"
    try fed.fill(Self.fleet.map { String($0.dropLast(2)) + "," + extra })
    try clean.fill(Self.fleet)
    if clearing { for scene in [fed, clean] { try scene.clearJournal() } }
    #expect(try fed.numbers() != clean.numbers())
    #expect(try !fed.delete(.metric("my.secret")).isRefused)
    #expect(try fed.numbers() == clean.numbers())
    #expect(try fed.names() == clean.names())
  }

  @Test("deleting an app leaves nothing of it, and another app of the folder unchanged")
  func app() throws {
    let scene = try AppScene()
    try scene.fill(Self.fleet)
    let other = try scene.installation.control.addApp(
      bundleID: "com.example.other", settings: AppSettings(), key: "fedcba9876543210fedcba9876543210", at: AppScene.now)
    let before = try scene.names(of: other.id)
    #expect(try !scene.delete(.app).isRefused)
    #expect(try scene.installation.control.app(bundleID: AppScene.app) == nil)
    #expect(try scene.names() == [])
    #expect(try scene.names(of: other.id) == before)
  }

  @Test(
    "a deletion of days that the journal no longer has is refused with an alternative, which then works",
    arguments: ["payload", "label", "release"])
  func refused(kind: String) throws {
    let scene = try AppScene()
    try scene.fill(Self.fleet)
    try scene.clearJournal()
    try scene.fill([Self.document("g", user: "gone", value: 3)], key: "late")
    // What a release needs beside the rows of cells.
    if kind == "release" { try SQLFile.run("DELETE FROM session WHERE sid % 2", in: scene.path + "/plumb.db") }
    let before = try scene.numbers()
    let today = AppScene.now.day()
    let week = ErasureScope.days(Window(from: today - 7, to: today + 1))
    let (scope, says, instead): (ErasureScope, String, ErasureScope) =
      switch kind {
      case "payload": (.payload(try scene.hash("late", scope: "receipt 1")), "these days, or the app; sessions", week)
      case "label":
        (.label("Cart", metric: "screen.load"), "the metric screen.load with all labels", .metric("screen.load"))
      default: (.release("4.1.0"), "keep-sessions (or keep-journal)", week)
      }
    let done = try scene.delete(scope)
    #expect(done.isRefused && done.statement.hasPrefix("Nothing was deleted. The data is part of sums of "))
    #expect(done.statement.contains("Possible deletions: ") && done.statement.contains(says), "\(done.statement)")
    #expect(try scene.numbers() == before)
    #expect(try !scene.delete(instead).isRefused && scene.numbers() != before)
  }

  @Test("an interrupted deletion keeps what it deleted before in its statement")
  func interrupted() throws {
    let scene = try AppScene()
    try scene.fill(Self.fleet)
    let control = scene.installation.control
    let scope = ErasureScope.user(try scene.hash("u1", scope: "user 1"))
    let asked = try control.request(scope, of: scene.app, by: "the test", at: AppScene.now)
    try control.note(asked.id, deleted: "sessions: 2")
    _ = try scene.delete(.days(Window(from: CalendarDay(number: 1), to: CalendarDay(number: 1))))
    let done = try #require(try control.erasure(asked.id))
    #expect(done.finished != nil && done.statement.contains("interrupted"), "\(done.statement)")
    #expect(done.statement.contains("sessions: 2"))
    #expect(try control.waitingErasures().isEmpty)
  }
}
