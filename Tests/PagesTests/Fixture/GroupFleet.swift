import HealthScene

@testable import Analysis
@testable import Core
@testable import Ingest
@testable import Storage

/// A made-up fleet whose sessions, users and crashes are known one by one, and the reader of its groups.
struct GroupFleet {
  /// A session, with the exceptions with which it crashed. Without stacks, these are the groups.
  struct Session {
    var release: String
    var user: Int
    var crashes: [String]
  }

  static let releases = ["4.1.0", "4.2.0", "4.3.0"]
  let sessions: [Session]
  let scene: Scene

  /// `naming`: whether crash reports name their session.
  init(naming: Bool = true, extra: [String] = []) throws {
    var random = Congruential(state: 11)
    sessions = (0..<900).map { number in
      let release = Self.releases[number % 3]
      let draw = random.next(below: 1000)
      // The second exception occurs in the newest release alone; a few sessions crash in both.
      var crashes = draw < 60 ? ["EXC_BAD_ACCESS"] : []
      if release == "4.3.0", draw >= 40, draw < 130 { crashes.append("EXC_BREAKPOINT") }
      return Session(release: release, user: random.next(below: 400), crashes: crashes)
    }
    scene = try Scene()
    let bodies = sessions.enumerated().map { number, session in
      // No two reports have one time, by which a repeated one would be known.
      let (minute, second) = (10 + number / 10 % 50, 10 + number / 500)
      let crashes = session.crashes.enumerated().map { index, exception in
        let named = naming ? "\"session\": \"s\(number)\"," : ""
        return """
          {"at": "2026-11-1\(number % 10)T1\(index):\(minute):\(second)Z", \(named) "exception": "\(exception)"}
          """
      }
      let status = session.crashes.isEmpty ? "exited" : "crashed"
      return Scene.native(
        version: session.release, build: "1", installation: "u\(session.user)",
        """
        "sessions": [{"id": "s\(number)", "started": "2026-11-1\(number % 10)T10:00:00Z", "status": "\(status)"}],
        "crashes": [\(crashes.joined(separator: ","))]
        """)
    }
    try scene.receive(bodies + extra)
  }

  func reader(_ states: NoDecisions = NoDecisions()) throws -> GroupReader {
    GroupReader(
      store: scene.store, health: try scene.reader("sessions.crash_free >= 99.5%"), states: states, symbols: NoSymbols()
    ) { _ in CallTree()
    }
  }

  /// Numbers that do not depend on the standard library's generator.
  struct Congruential {
    var state: UInt64

    mutating func next(below limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(limit))
    }
  }
}

/// People's decisions and notes that are given from the start.
struct NoDecisions: GroupDecisions, GroupNotes {
  var notes: [UInt64: GroupNote] = [:]

  func groupStates(of app: AppID) throws -> [UInt64: GroupDecision] { [:] }
  func decide(_ decision: GroupDecision, of app: AppID, group fingerprint: UInt64) throws {}
  func groupNotes(of app: AppID) throws -> [UInt64: GroupNote] { notes }
  func setNote(_ note: GroupNote, of app: AppID, group: UInt64, replacing: [UInt64]) throws {}
}
