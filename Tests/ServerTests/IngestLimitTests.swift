import Testing

@testable import Core
@testable import Storage
@testable import Web

@Suite("Limits of an app's use")
struct IngestLimitTests {
  private let second: UInt64 = 1_000_000_000

  @Test("an app alone may use all the time of the decoders")
  func alone() {
    let shares = DecodingTimeShares(threads: 2)
    for step in 0..<100_000 as Range<UInt64> {
      let now = 10 * second + step * 100_000
      #expect(shares.admits(1, at: now))
      shares.charge(200_000, to: 1, at: now)
    }
  }

  @Test("with another app active, an app may use the rest, and at least half")
  func shared() {
    let shares = DecodingTimeShares(threads: 2)
    // A little of app 2 in every second; as much of app 1 as is let in, at 100 microseconds and what a request costs.
    var used = 0
    var refused = 0
    for second in 10..<20 as Range<UInt64> {
      for step in 0..<20_000 as Range<UInt64> {
        let now = second * self.second + step * 50_000
        if step % 200 == 0 {
          #expect(shares.admits(2, at: now))
          shares.charge(100_000, to: 2, at: now)
        }
        if shares.admits(1, at: now) {
          used += 100_000 + DecodingTimeShares.perRequest
          shares.charge(100_000, to: 1, at: now)
        } else {
          refused += 1
        }
      }
    }
    #expect(refused > 1000)
    // Of 1.4 seconds in a second that are shared, app 2 uses 0.014.
    #expect((11_000_000_000...15_500_000_000).contains(used), "\(used)")
  }

  @Test("rows are counted per day in UTC, and are available again after midnight")
  func rows() {
    let budget = WriteQuota(perDay: 100)
    func at(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: (20_000 * 86_400 + seconds) * 1000) }
    #expect(budget.spent(1, at: at(0)) == nil)
    budget.charge(99, to: 1, at: at(0))
    #expect(budget.spent(1, at: at(1)) == nil)
    budget.charge(.max, to: 1, at: at(1))
    budget.charge(.max, to: 1, at: at(1))
    #expect(budget.spent(1, at: at(2))?.seconds == 3600)
    #expect(budget.spent(1, at: at(86_400 - 10))?.seconds == 10)
    #expect(budget.spent(2, at: at(2)) == nil)
    #expect(budget.spent(1, at: at(86_400)) == nil)
  }

  @Test("a restart continues with the day's rows and not with another day's")
  func restart() {
    let now = Timestamp(milliseconds: 20_000 * 86_400_000)
    let before = WriteQuota(perDay: 100)
    before.charge(100, to: 7, at: now)
    let after = WriteQuota(perDay: 100)
    after.restore(before.used(at: now), at: now)
    #expect(after.spent(7, at: now) != nil)
    #expect(before.used(at: Timestamp(milliseconds: now.milliseconds + 86_400_000)).isEmpty)
  }

  @Test("bytes are those of the journal and the store's growth, and waiting ones count with their probable growth")
  func bytes() {
    let now = Timestamp(milliseconds: 20_000 * 86_400_000)
    let quota = WriteQuota(perDay: .max, bytesPerDay: 1_000_000)
    quota.noteJournaled([1: JournaledBytes(encoded: 1_000, stored: 100)], waits: true, at: now)
    #expect(quota.used(at: now)[1]?.bytes == 100)
    // Fifty bytes for each of its bytes.
    quota.noteGrowth([1: (records: 1_000, bytes: 50_000)], at: now)
    #expect(quota.used(at: now)[1]?.bytes == 50_100)
    // 20,000 bytes that wait will grow to a million.
    quota.noteJournaled(
      [1: JournaledBytes(encoded: 20_000, stored: 2_000), 2: JournaledBytes(encoded: 100, stored: 10)], waits: true,
      at: now)
    #expect(quota.spent(1, at: now)?.limit == .bytes)
    #expect(quota.spent(2, at: now) == nil)
    #expect(quota.hasWrittenMost(1, at: now) && !quota.hasWrittenMost(2, at: now))
    // They grew to less.
    quota.noteGrowth([1: (records: 20_000, bytes: 20_000)], at: now)
    #expect(quota.spent(1, at: now) == nil)
    quota.noteGrowth([1: (records: 0, bytes: .max)], at: now)
    quota.noteGrowth([1: (records: .max, bytes: .max)], at: now)
    #expect(quota.spent(1, at: now)?.limit == .bytes)
    // A restart knows what was used. The next day begins anew.
    let after = WriteQuota(perDay: .max, bytesPerDay: 1_000_000)
    after.restore(quota.used(at: now), at: now)
    #expect(after.spent(1, at: now)?.limit == .bytes && after.spent(2, at: now) == nil)
    #expect(after.spent(1, at: Timestamp(milliseconds: now.milliseconds + 86_400_000)) == nil)
  }

  @Test("an app alone never counts as having written the most")
  func aloneOnTheDisk() {
    let now = Timestamp(milliseconds: 20_000 * 86_400_000)
    let quota = WriteQuota(perDay: .max)
    quota.noteJournaled([1: JournaledBytes(encoded: 1_000, stored: 100)], waits: false, at: now)
    #expect(!quota.hasWrittenMost(1, at: now) && !quota.hasWrittenMost(2, at: now))
  }
}
