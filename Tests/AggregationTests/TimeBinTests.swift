import Testing

@testable import Core
@testable import Ingest
@testable import Statistics
@testable import Storage

struct TimeBinTests {
  private static func bins(minutesAgo: Int, clock: TimeZoneOffsets = .utc) -> [TimeBin] {
    let reading = Measurement(.known(203), at: .instant(Fixture.now.minutesEarlier(minutesAgo)), .samples([1]))
    let record = Fixture.record(
      Fixture.report([reading], source: .native), clock: clock)
    return Fixture.digest([record]).cells.filter { cell in cell.series.deltas.contains { $0.metric == .known(203) } }
      .filter { $0.series.deltas.contains { series in Self.count(series.aggregate) > 0 } }.map(\.bin)
  }

  private static func count(_ aggregate: Aggregate) -> Int {
    if case .distribution(let histogram) = aggregate { histogram.count } else { 0 }
  }

  /// Minutes ago, day, minute of that day and resolution. Now is 2026-11-20T10:02, minute 602 of day 20,777.
  private static let ages: [(Int, Int, Int, TimeBin.Resolution)] = [
    (0, 20_777, 600, .fiveMinutes), (3, 20_777, 595, .fiveMinutes), (4319, 20_774, 600, .fiveMinutes),
    (4320, 20_774, 600, .hour), (50_399, 20_742, 600, .hour), (50_400, 20_742, 0, .day),
    (5_760_000, 16_777, 0, .day),
  ]

  @Test("an instant is kept in five-minute bins for three days, in hours for 35 days, then in days")
  func byAge() {
    for (minutes, day, minute, resolution) in Self.ages {
      #expect(Self.bins(minutesAgo: minutes) == [TimeBin(start: day * 1440 + minute, resolution: resolution)])
    }
  }

  @Test("an instant belongs to a day in the app's time zone")
  func zones() {
    func ahead(_ hours: Int) -> TimeZoneOffsets { TimeZoneOffsets(utcOffsetSeconds: hours * 3600) }
    // 10:02 UTC is 23:02 in Auckland, and 00:02 of the next day in Kiribati.
    #expect(Self.bins(minutesAgo: 0, clock: ahead(13)).map(\.day) == [Fixture.today])
    #expect(Self.bins(minutesAgo: 0, clock: ahead(14)).map(\.day) == [Fixture.today + 1])
    // 00:02 UTC is the day before in New York.
    #expect(Self.bins(minutesAgo: 600, clock: ahead(-5)).map(\.day) == [Fixture.today - 1])
  }

  @Test("an instant belongs to the day by the clock at that time, not by the receipt's summer time")
  func summerTime() {
    // Clocks went back an hour at 01:00 UTC, from two hours ahead: 22:30 UTC the day before was 00:30 on this day.
    let change = TimeZoneOffsets.Change(at: Fixture.now.minutesEarlier(9 * 60 + 2), utcOffsetSeconds: 3600)
    let clock = TimeZoneOffsets(utcOffsetSeconds: 7200, changes: [change])
    #expect(Self.bins(minutesAgo: 11 * 60 + 32, clock: clock).map(\.start) == [20_777 * 1440 + 30])
    #expect(Self.bins(minutesAgo: 12 * 60 + 32, clock: clock).map(\.start) == [20_776 * 1440 + 23 * 60 + 30])
    // The hour behind the change has the numbers of the hour before.
    #expect(Self.bins(minutesAgo: 8 * 60 + 32, clock: clock).map(\.start) == [20_777 * 1440 + 150])
    #expect(Self.bins(minutesAgo: 9 * 60 + 32, clock: clock).map(\.start) == [20_777 * 1440 + 150])
  }

  @Test("a calendar day stays the device's own, in any zone and at any age")
  func calendarDays() {
    for offset in [-12, 0, 14] {
      let day = Fixture.today - 500
      let record = Fixture.record(
        Fixture.report([Measurement(.known(400), at: .day(day), .samples([1]))]),
        clock: TimeZoneOffsets(utcOffsetSeconds: offset * 3600))
      #expect(Fixture.digest([record]).cells.map(\.bin) == [TimeBin(day)])
    }
  }

  @Test("a clock in the year 292,000,000 changes no other payload and causes no trap")
  func wildClock() {
    let reading = Measurement(
      .known(203), at: .instant(Timestamp(milliseconds: 8_000_000_000_000_000_000)), .samples([1]))
    let session = SessionUpdate(id: "s", outcome: .healthy, started: Timestamp(milliseconds: .min))
    let batch = Fixture.digest([Fixture.record(Fixture.report([reading], sessions: [session]))])
    #expect(batch.sessions.map(\.minute) == [0])
    #expect(batch.cells.count >= 1)
  }
}
