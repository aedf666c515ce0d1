import Testing

@testable import Core
@testable import Web

@Suite("Limits on login attempts")
struct LoginThrottleTests {
  private typealias Attempt = LoginThrottle.Attempt

  private func at(_ seconds: Double) -> Timestamp { Timestamp(milliseconds: Int64(seconds * 1000)) }
  private func user(_ name: String, from network: String = "192.0.2.1", device: String? = nil) -> Attempt {
    Attempt(user: name, network: network, device: device)
  }

  @Test("a name gets five attempts from an address, then one a minute; other names are not delayed")
  func perName() {
    let throttle = LoginThrottle()
    for _ in 0..<5 { #expect(throttle.attempt(user("anna"), at: at(0)) == .allowed) }
    #expect(throttle.attempt(user("anna"), at: at(0)) == .wait(seconds: 60))
    #expect(throttle.attempt(user("ANNA"), at: at(20)) == .wait(seconds: 40))
    #expect(throttle.attempt(user("ben"), at: at(20)) == .allowed)
    #expect(throttle.attempt(user("anna"), at: at(60)) == .allowed)
    #expect(throttle.attempt(user("anna"), at: at(60)) == .wait(seconds: 60))
  }

  @Test("an address gets five attempts for any names, and all addresses two hundred; then logins are crowded")
  func manyNames() {
    let throttle = LoginThrottle()
    for index in 0..<5 { #expect(throttle.attempt(user("user\(index)"), at: at(0)) == .allowed) }
    #expect(throttle.attempt(user("another"), at: at(0)) == .crowded(seconds: 2))
    for index in 5..<200 {
      #expect(throttle.attempt(user("user\(index)", from: "198.51.100.\(index / 5)"), at: at(0)) == .allowed)
    }
    #expect(throttle.attempt(user("another", from: "203.0.113.1"), at: at(0)) == .crowded(seconds: 1))
    #expect(throttle.attempt(user("more", from: "203.0.113.1"), at: at(1)) == .allowed)
    #expect(throttle.attempt(user("anna", device: "d1"), at: at(0)) == .allowed)
  }

  @Test("in a crowd of login attempts a name's limits are unchanged, and beyond 125 a second nothing is counted")
  func crowd() {
    let throttle = LoginThrottle()
    for index in 0..<5 { _ = throttle.attempt(user("user\(index)"), at: at(0)) }
    for _ in 0..<5 { #expect(throttle.attempt(user("anna"), at: at(0)) == .crowded(seconds: 2)) }
    #expect(throttle.attempt(user("anna"), at: at(0)) == .wait(seconds: 60))
    let crowded = (0..<10_000).count { throttle.attempt(user("random\($0)"), at: at(0)) == .crowded(seconds: 2) }
    #expect(crowded == 120)
    #expect(throttle.attempt(user("random9999"), at: at(0)) == .wait(seconds: 2))
    // What was not counted is still there: five attempts.
    let later = (0..<10).map { _ in throttle.attempt(user("random9999"), at: at(1)) }
    #expect(later.prefix(5).allSatisfy { $0 == .crowded(seconds: 1) } && later.last == .wait(seconds: 60))
  }

  @Test("a flood of logins from one address delays no other address", arguments: [5, 40, 1000])
  func flood(perSecond: Int) {
    let throttle = LoginThrottle()
    for second in 0..<600 {
      for index in 0..<perSecond { _ = throttle.attempt(user("\(second) \(index)"), at: at(Double(second))) }
      if second % 60 == 0 {
        #expect(throttle.attempt(user("anna", from: "198.51.100.1"), at: at(Double(second))) == .allowed)
      }
    }
  }

  @Test("a provider gets ten requests for an address and sixty in all, then one in two seconds and one a second")
  func provider() {
    let throttle = LoginThrottle()
    func asked(_ seconds: Range<Int>, _ network: (Int) -> String) -> Int {
      seconds.reduce(0) { sum, second in
        sum + (0..<100).count { throttle.question(from: network($0), at: at(Double(second))) == .allowed }
      }
    }
    #expect(asked(0..<1) { _ in "192.0.2.1" } == 10)
    #expect(asked(1..<21) { _ in "192.0.2.1" } == 10)
    #expect(asked(21..<22) { "198.51.100.\($0)" } == 60)
    #expect(asked(22..<32) { "198.51.100.\($0)" } == 10)
  }

  @Test("a user or token may make 120 decisions in a row, then one a second, independent of others")
  func decisions() {
    let throttle = LoginThrottle()
    func made(_ actor: String, at second: Double) -> Int {
      (0..<200).count { _ in throttle.decision(of: actor, at: at(second)) == .allowed }
    }
    #expect(made("token ci", at: 0) == 120)
    #expect(made("token ci", at: 10) == 10)
    #expect(made("user ana", at: 10) == 120)
  }

  @Test("a device that logged in before is not delayed by attempts for its name from other places")
  func device() {
    let throttle = LoginThrottle()
    for second in 0..<600 {
      for index in 0..<20 { _ = throttle.attempt(user("anna", from: "198.51.100.\(index)"), at: at(Double(second))) }
      _ = throttle.attempt(user("anna"), at: at(Double(second)))
      if second % 60 == 0 {
        #expect(throttle.attempt(user("anna", device: "d1"), at: at(Double(second))) == .allowed)
      }
    }
    // It is held up by itself.
    let own = LoginThrottle()
    for _ in 0..<5 { #expect(own.attempt(user("anna", device: "d1"), at: at(0)) == .allowed) }
    #expect(own.attempt(user("anna", device: "d1"), at: at(0)) == .wait(seconds: 60))
    #expect(own.attempt(user("anna", device: "d2"), at: at(0)) == .allowed)
  }

  @Test("in an hour an attacker gets 65 attempts for a name from one address, and 390 from a thousand")
  func hour() {
    let throttle = LoginThrottle()
    #expect((0...3600).filter { throttle.attempt(user("anna"), at: at(Double($0))) == .allowed }.count == 65)
    let other = LoginThrottle()
    let allowed = (0...36_000).filter { step in
      other.attempt(user("anna", from: "198.51.\(step % 1000)"), at: at(Double(step) / 10)) == .allowed
    }
    #expect(allowed.count == 390)
  }

  @Test("a successful login resets the attempts of its name")
  func success() {
    let throttle = LoginThrottle()
    for _ in 0..<5 { _ = throttle.attempt(user("anna"), at: at(0)) }
    throttle.succeeded(user("Anna"))
    #expect(throttle.attempt(user("anna"), at: at(0)) == .allowed)
  }

  @Test("a successful login restores at most the thirty attempts of a user from all addresses")
  func givenBack() {
    let throttle = LoginThrottle()
    let first = user("anna", from: "192.0.2.1")
    let second = user("anna", from: "192.0.2.2")
    #expect(throttle.attempt(first, at: at(0)) == .allowed)
    #expect(throttle.attempt(second, at: at(10)) == .allowed)
    // Ten seconds gave the first attempt back already.
    throttle.succeeded(first)
    throttle.succeeded(second)
    let allowed = (0..<60).count { throttle.attempt(user("anna", from: "198.51.100.\($0)"), at: at(10)) == .allowed }
    #expect(allowed == 30)
  }

  @Test("a clock that is set back, or far ahead, causes no trap and locks no user out")
  func clock() {
    let throttle = LoginThrottle()
    for _ in 0..<5 { _ = throttle.attempt(user("anna"), at: at(1_000_000)) }
    #expect(throttle.attempt(user("anna"), at: at(0)) == .wait(seconds: 60))
    #expect(throttle.attempt(user("anna"), at: at(1_000_060)) == .allowed)
    #expect(throttle.attempt(user("anna"), at: Timestamp(milliseconds: .max)) == .allowed)
    #expect(throttle.attempt(user("anna"), at: Timestamp(milliseconds: .min)) == .allowed)
  }
}

@Suite("Devices that logged in before")
struct DeviceCookieTests {
  private let cookie = DeviceCookie(
    hash: KeyedIDHash(secret: [UInt8](repeating: 7, count: 32)),
    like: SessionCookie(publicURL: "https://plumb.example.com"))

  @Test("a device is recognised by its cookie, only for the name that it logged in with")
  func known() throws {
    let pair = try #require(cookie.setting(user: "Anna").split(separator: ";").first).description
    #expect(pair.hasPrefix("__Host-plumb-device="))
    #expect(cookie.device(in: "a=b; \(pair)", of: "anna") != nil)
    #expect(cookie.device(in: pair, of: "ANNA") == cookie.device(in: pair, of: "anna"))
    #expect(cookie.device(in: pair, of: "ben") == nil)
    #expect(cookie.setting(user: "anna") != cookie.setting(user: "anna"))
  }

  @Test("an invented or changed cookie, or one with another secret, proves nothing")
  func forged() throws {
    let pair = try #require(cookie.setting(user: "anna").split(separator: ";").first).description
    let other = DeviceCookie(
      hash: KeyedIDHash(secret: [UInt8](repeating: 8, count: 32)), like: SessionCookie(publicURL: "https://x.example"))
    #expect(other.device(in: pair, of: "anna") == nil)
    let last = pair.hasSuffix("0") ? "1" : "0"
    let zeros = String(repeating: "0", count: 64)
    for forged in [
      String(pair.dropLast()) + last, "__Host-plumb-device=" + zeros, "__Host-plumb-device=", "", "=;;=", "é=ü",
    ] {
      #expect(cookie.device(in: forged, of: "anna") == nil)
    }
    #expect(cookie.device(in: nil, of: "anna") == nil)
  }
}
