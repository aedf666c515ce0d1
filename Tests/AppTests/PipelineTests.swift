import Dispatch
import Foundation
import Testing
import TestSupport

@testable import Analysis
@testable import App
@testable import Core
@testable import SQLiteStore
@testable import Storage

@Suite("The pipeline of a data folder")
struct PipelineTests {
  @Test("the pipeline digests what was received, and a second pipeline reads and extends it")
  func restart() throws {
    let scene = try AppScene()
    try scene.fill(AppScene.sessions(30, crashed: 3))
    let first = try scene.report().sessions
    #expect(first.total == 30 && first.counts[.crashed] == 3)
    try scene.fill(AppScene.sessions(20, crashed: 1, prefix: "b"))
    let second = try scene.report().sessions
    #expect(second.total == 50 && second.counts[.crashed] == 4)
    // The same sessions again are no new ones.
    try scene.fill(AppScene.sessions(20, crashed: 1, prefix: "b"))
    #expect(try scene.report().sessions.total == 50)
  }

  @Test("the pipeline leaves records in the journal while another pipeline digests them")
  func lease() throws {
    let scene = try AppScene()
    let server = try scene.pipeline(staying: true)
    #expect(server.isDigesting)
    let command = try scene.pipeline()
    #expect(!command.isDigesting)
    #expect(try scene.send(AppScene.sessions(10), to: command) == [])
    command.stop()
    #expect(try scene.report().sessions.total == 0, "nobody digested them yet")
    server.stop()
    #expect(try scene.report().sessions.total == 10)
  }

  @Test("work that waits for another process to end is done by the waiting command: records and deletions")
  func endedHolder() throws {
    let scene = try AppScene()
    let user = try scene.hash("a-0", scope: "user \(scene.app.id)")
    let holder = try scene.pipeline()
    let second = try scene.pipeline()
    #expect(holder.isDigesting && !second.isDigesting)
    holder.stop()
    #expect(try scene.send(AppScene.sessions(5), to: second) == [])
    second.stop()
    #expect(try scene.report().sessions.total == 5)
    let next = try scene.pipeline()
    let done = DispatchSemaphore(value: 0)
    let deleting = Thread {
      do {
        #expect(try !scene.delete(.user(user)).isRefused)
      } catch {
        Issue.record(error)
      }
      done.signal()
    }
    deleting.start()
    usleep(200_000)
    next.stop()
    #expect(done.wait(timeout: .now() + 60) == .success)
    #expect(try scene.report().sessions.total == 4)
  }

  @Test("the pipeline takes over the digest when the process with the lease ends")
  func takeover() throws {
    let scene = try AppScene()
    let command = try scene.pipeline()
    let server = try scene.pipeline(staying: true)
    #expect(command.isDigesting && !server.isDigesting)
    command.stop()
    #expect(eventually { server.isDigesting })
    #expect(try scene.send(AppScene.sessions(7), to: server) == [])
    server.stop()
    #expect(try scene.report().sessions.total == 7)
  }

  @Test("the pipeline accepts nothing for an app with unknown settings")
  func unknownApp() throws {
    let scene = try AppScene()
    try scene.installation.control.removeApp(scene.app.id)
    let pipeline = try scene.pipeline()
    defer { pipeline.stop() }
    #expect(try scene.send(AppScene.sessions(2), to: pipeline).count == 2)
  }

  @Test("the marker of a dead process starts a child for its records, and a child that fails is reported")
  func recovery() throws {
    let scene = try AppScene()
    try scene.fill(AppScene.sessions(3))
    // A stand-in for `plumb recover-digest` that fails in order: the pipeline reports it and does not lose its records.
    let child = try scene.write("#!/bin/sh\necho \"$@\" >> \(scene.path)/arguments\nexit 7\n", to: "child")
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: child)
    try Data("digesting 5".utf8).write(to: URL(fileURLWithPath: scene.installation.folder.digestMarker))
    let pipeline = try Pipeline(
      scene.installation, migrating: false, executable: URL(fileURLWithPath: child), logger: scene.logger)
    pipeline.stop()
    let arguments = (try? String(contentsOfFile: scene.path + "/arguments", encoding: .utf8)) ?? ""
    #expect(arguments.hasPrefix("recover-digest --data \(scene.path)"), "\(arguments)")
    #expect(scene.log.lines.contains { $0.contains("the child exited with status 7") }, "\(scene.log.lines)")
  }
}

@Suite("Retention")
struct RetentionTests {
  @Test("retention deletes combinations of filters after 35 days and everything after 400, and keeps newer rows")
  func rows() throws {
    let scene = try AppScene()
    for days in [1, 20, 390] {
      let time = AppScene.ago(days: days)
      try scene.fill(AppScene.sessions(10, prefix: "d\(days)-", started: time), at: time)
    }
    /// Sessions of one day, of one release, or of one release and one device.
    func total(_ days: Int, combined: Bool = false) throws -> Int {
      let day = AppScene.ago(days: days).day()
      let query = ReportQuery(from: day, to: day, release: "4.2.0", device: combined ? "iPhone15,2" : nil)
      return try scene.installation.read(scene.app, budgets: nil) {
        try $0.report(scene.app, query, now: AppScene.now).sessions.total
      }
    }
    for days in [1, 20, 390] { #expect(try total(days) == 10, "\(days) days, before retention") }
    #expect(try total(20, combined: true) == 10)
    let pipeline = try scene.pipeline()
    // Twenty days later the days are 21, 40 and 410 days old.
    try pipeline.maintain(now: AppScene.ago(days: -20))
    pipeline.stop()
    #expect(try total(1) == 10)
    #expect(try total(1, combined: true) == 10)
    #expect(try total(20) == 10)
    #expect(try total(20, combined: true) == 0)
    #expect(try total(390) == 0)
  }

  @Test("retention deletes bodies of diagnostics after their own number of days, and keeps the diagnostics")
  func bodies() throws {
    let scene = try AppScene()
    for (name, days) in [("old", 31), ("new", 29)] {
      let time = AppScene.ago(days: days)
      let crash = #"{"at":"\#(time.iso)","exception":"EXC_BAD_ACCESS","reason":"\#(name)"}"#
      let app = #""app":{"bundle_id":"\#(AppScene.app)","version":"4.2.0"}"#
      try scene.fill([#"{\#(app),"crashes":[\#(crash)]}"#], at: time)
    }
    let folder = scene.installation.folder
    func count(_ table: String, _ file: String) throws -> Int? {
      try SQLFile.number("SELECT count(*) FROM \(table)", in: file)
    }
    #expect(try count("sample", folder.samples) == 2)
    var retention = Retention()
    retention.samples = 30
    let pipeline = try Pipeline(scene.installation, migrating: false, retention: retention, logger: scene.logger)
    try pipeline.maintain(now: AppScene.now)
    pipeline.stop()
    #expect(try count("sample", folder.samples) == 1)
    #expect(try count("diagnostic", folder.plumb) == 2)
  }

  @Test("retention purges digested records older than three days from the journal, and no newer ones")
  func journal() throws {
    let scene = try AppScene()
    try scene.fill(AppScene.sessions(1, prefix: "old"), at: AppScene.ago(days: 4))
    try scene.fill(AppScene.sessions(1, prefix: "new"), at: AppScene.ago(days: 2))
    #expect(try batches(scene) == 2)
    let pipeline = try scene.pipeline()
    try pipeline.maintain(now: AppScene.now)
    pipeline.stop()
    #expect(try batches(scene) == 1)
    #expect(try scene.report().sessions.total == 2, "the numbers stay")
  }

  /// Counted by the sqlite3 program, which knows nothing of this code.
  private func batches(_ scene: AppScene) throws -> Int {
    try #require(try SQLFile.number("SELECT count(*) FROM batch", in: scene.installation.folder.journal))
  }
}
