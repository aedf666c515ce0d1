import Access
import Telemetry
import Testing

@Suite("Limits on login attempts")
struct LoginThrottleTests {
  private func at(_ seconds: Double) -> Timestamp { Timestamp(milliseconds: Int64(seconds * 1000)) }

  @Test("five attempts for a name, then one a minute; other names are not held up")
  func perName() {
    let throttle = LoginThrottle()
    for _ in 0..<5 { #expect(throttle.attempt(user: "anna", at: at(0)) == .allowed) }
    #expect(throttle.attempt(user: "anna", at: at(0)) == .wait(seconds: 60))
    #expect(throttle.attempt(user: "ANNA", at: at(20)) == .wait(seconds: 40))
    #expect(throttle.attempt(user: "ben", at: at(20)) == .allowed)
    #expect(throttle.attempt(user: "anna", at: at(60)) == .allowed)
    #expect(throttle.attempt(user: "anna", at: at(60)) == .wait(seconds: 60))
  }

  @Test("thirty attempts for all names, then one in two seconds")
  func overall() {
    let throttle = LoginThrottle()
    for index in 0..<30 { #expect(throttle.attempt(user: "user\(index)", at: at(0)) == .allowed) }
    #expect(throttle.attempt(user: "another", at: at(0)) == .wait(seconds: 2))
    #expect(throttle.attempt(user: "another", at: at(2)) == .allowed)
    #expect(throttle.attempt(user: "another", at: at(2)) == .wait(seconds: 2))
  }

  @Test("over an hour a guesser gets 65 attempts at one name and 1,830 at all")
  func hour() {
    let throttle = LoginThrottle()
    #expect((0...3600).filter { throttle.attempt(user: "anna", at: at(Double($0))) == .allowed }.count == 65)
    let other = LoginThrottle()
    #expect((0...3600).filter { other.attempt(user: "\($0)", at: at(Double($0))) == .allowed }.count == 1830)
  }

  @Test("a login that succeeds gives the name its attempts back")
  func success() {
    let throttle = LoginThrottle()
    for _ in 0..<5 { _ = throttle.attempt(user: "anna", at: at(0)) }
    throttle.succeeded(user: "Anna")
    #expect(throttle.attempt(user: "anna", at: at(0)) == .allowed)
  }

  @Test("a clock that is set back, or far ahead, neither traps nor locks anybody out")
  func clock() {
    let throttle = LoginThrottle()
    for _ in 0..<5 { _ = throttle.attempt(user: "anna", at: at(1_000_000)) }
    #expect(throttle.attempt(user: "anna", at: at(0)) == .wait(seconds: 60))
    #expect(throttle.attempt(user: "anna", at: at(60)) == .allowed)
    #expect(throttle.attempt(user: "anna", at: Timestamp(milliseconds: .max)) == .allowed)
    #expect(throttle.attempt(user: "anna", at: Timestamp(milliseconds: .min)) == .allowed)
  }
}
