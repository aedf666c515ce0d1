import Core
import Foundation
import Ingest
import Storage

/// The request bodies for the loops. Benchmarks/Load created them once, and they never change.
enum FixedBodies {
  /// The time of receipt of all bodies: 2026-11-20T12:00:00Z.
  static let now = Timestamp(milliseconds: 1_795_176_000_000)

  /// A body's bytes, with the padding after them that the parser may read, as on the server.
  static func padded(_ name: String) throws -> (bytes: [UInt8], size: Int) {
    let body = [UInt8](try Data(contentsOf: URL(fileURLWithPath: "Benchmarks/HotLoops/Bodies/\(name)")))
    return (body + [UInt8](repeating: 0, count: 64), body.count)
  }

  static func reports(_ name: String, _ format: PayloadFormat = .sniffed) throws -> [Report] {
    let body = try padded(name)
    return try body.bytes.withUnsafeBytes { buffer in
      let payload = UnsafeRawBufferPointer(rebasing: buffer[..<body.size])
      return try PayloadDecoder().decode(payload, isPadded: true, as: format, DecodingContext(received: now)).reports
    }
  }

  /// Like the server's, with a cheap hash instead of the keyed one.
  static let seal = Pseudonymizer(
    hash: { text, scope in
      (scope + text).utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    })

  static func header(_ received: Timestamp = now) -> RecordHeader { RecordHeader(app: 1, received: received) }

  /// The records of a batch: one of each body for each release, each model and each day before `now`.
  static func batch(
    days: Int, releases: Int, models: Int, of bodies: [String] = ["metrickit.json", "native.json"]
  ) throws -> JournalBatch {
    let payloads = try bodies.flatMap { try reports($0) }
    var records = LengthDelimitedRecords(reservingRecords: days * releases * models * payloads.count)
    var count = 0
    for day in (0..<days).reversed() {
      let received = Timestamp(milliseconds: now.milliseconds - Int64(day) * 86_400_000)
      for (release, model) in (0..<releases).flatMap({ release in (0..<models).map { (release, $0) } }) {
        for var report in payloads {
          report.release = Release(version: "4.\(release).0", build: String(1200 + release))
          report.device.model = "iPhone\(12 + model / 4),\(1 + model % 4)"
          report.move(by: -day, session: "\(day)-\(release)-\(model)")
          records.append(report, header(received), seal: seal)
          count += 1
        }
      }
    }
    return JournalBatch(first: 1, count: count, records: records.bytes())
  }
}

extension Report {
  /// Moves all times by some days and gives its sessions new ids.
  fileprivate mutating func move(by days: Int, session: String) {
    let distance = Int64(days) * 86_400_000
    for index in measurements.indices {
      switch measurements[index].time {
      case .day(let day): measurements[index].time = .day(day + days)
      case .instant(let time):
        measurements[index].time = .instant(Timestamp(milliseconds: time.milliseconds + distance))
      }
    }
    for index in sessions.indices {
      sessions[index].id = session
      sessions[index].started = Timestamp(milliseconds: sessions[index].started.milliseconds + distance)
    }
  }
}
