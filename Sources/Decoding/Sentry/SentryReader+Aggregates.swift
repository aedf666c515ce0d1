internal import JSON
internal import Telemetry

extension SentryReader {
  /// One item may stand for so many sessions.
  static var mostSessions: Int { 10_000 }

  /// A `sessions` item: how many sessions started in a minute ended in which way.
  ///
  /// They become sessions whose ids are made of the whole envelope's bytes, so that the same envelope sent again counts
  /// once. An item that stands for too many is left out as a whole: a part of it would have another share of crashes.
  mutating func readAggregates(_ item: JSONObject, of place: EnvelopeItem) throws {
    let aggregates = try item.required("aggregates")
    var updates: [SessionUpdate] = []
    let room = min(Self.mostSessions, load.free(.sessions))
    for (index, aggregate) in try aggregates.array().enumerated() {
      aggregatesSeen += 1
      guard aggregatesSeen <= Limits.sessions else {
        throw aggregates.failure("an envelope may list \(Limits.sessions) aggregates")
      }
      let bucket = try aggregate.object()
      let started = try clock.time(bucket.required("started"))
      let user = Self.user(bucket.text("did"))
      for (outcome, key) in Self.outcomes {
        let count = try Self.count(bucket[key])
        guard updates.count + count <= room else {
          throw aggregates.failure(
            "an item may stand for \(Self.mostSessions) sessions, an envelope for \(Limits.sessions)")
        }
        let name = "\(contentName)/\(place.index)/\(index)/\(outcome.rawValue)"
        for number in 0..<count {
          updates.append(SessionUpdate(id: "\(name)/\(number)", outcome: outcome, started: started, user: user))
        }
      }
    }
    try load.add(.sessions, updates.count, at: aggregates)
    let origin = origin(item.object("attrs"))
    for update in updates { sessions.append((origin, update)) }
  }

  private static var outcomes: [(SessionOutcome, StaticString)] {
    [
      (.healthy, "exited"), (.errored, "errored"), (.unhandled, "unhandled"), (.abnormal, "abnormal"),
      (.crashed, "crashed"),
    ]
  }

  /// A count; more than an item may stand for is as good as that and one.
  private static func count(_ value: JSONValue?) throws -> Int {
    guard let value else { return 0 }
    return Int(min(try value.unsignedInteger(), UInt64(mostSessions + 1)))
  }
}
