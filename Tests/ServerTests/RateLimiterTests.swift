import Testing

@testable import Core
@testable import Web

@Suite("The rate limit of a key")
struct RateLimiterTests {
  private func at(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: 1_700_000_000_000 + milliseconds) }

  @Test("the rate limit of a key allows two seconds' requests at once, then one per interval")
  func burst() {
    let rate = RateLimiter(perSecond: 10)
    for _ in 0..<20 { #expect(rate.take(1, at: at(0)) == nil) }
    #expect(rate.take(1, at: at(0)) == 1)
    #expect(rate.take(1, at: at(99)) != nil)
    #expect(rate.take(1, at: at(200)) == nil)
  }

  @Test("the rate limit of a key allows at most two seconds' requests after any pause")
  func pause() {
    let rate = RateLimiter(perSecond: 10)
    #expect(rate.take(1, at: at(0)) == nil)
    for seconds in [10, 13, 4_000] as [Int64] {
      #expect((0..<100).count { _ in rate.take(1, at: at(seconds * 1_000)) == nil } == 20, "\(seconds)")
    }
  }

  @Test("the rate limit of a key allows its rate over a long time, in any pattern")
  func steady() {
    let rate = RateLimiter(perSecond: 50)
    let passed = (0..<60_000).filter { rate.take(1, at: at(Int64($0))) == nil }.count
    // A minute at 50 a second, and the two seconds that were full at the start.
    #expect((3090...3100).contains(passed), "\(passed)")
  }

  @Test("each app has its own rate limit")
  func perApp() {
    let rate = RateLimiter(perSecond: 1)
    for _ in 0..<2 { #expect(rate.take(1, at: at(0)) == nil) }
    #expect(rate.take(1, at: at(0)) != nil)
    #expect(rate.take(2, at: at(0)) == nil)
  }

  @Test("waiting for the stated time is enough to satisfy a rate limit")
  func waiting() throws {
    for perSecond in [1, 3, 7, 1000] {
      let rate = RateLimiter(perSecond: perSecond)
      while rate.take(1, at: at(0)) == nil {}
      let seconds = try #require(rate.take(1, at: at(0)))
      #expect(rate.take(1, at: at(Int64(seconds) * 1000)) == nil)
    }
  }

  @Test("the rate limit of a key survives a clock that is set back or jumps ahead, and a rate of zero")
  func clock() {
    let rate = RateLimiter(perSecond: 0)
    #expect(rate.take(1, at: at(0)) == nil)
    #expect(rate.take(1, at: at(-3_600_000)) == nil)
    #expect(rate.take(1, at: at(-3_600_000)) == 1)
    #expect(rate.take(1, at: Timestamp(milliseconds: 4_000_000_000_000)) == nil)
  }
}
