import Access
import Telemetry
import Testing

@Suite("Limits on login attempts")
struct LoginThrottleTests {
  private typealias Attempt = LoginThrottle.Attempt

  private func at(_ seconds: Double) -> Timestamp { Timestamp(milliseconds: Int64(seconds * 1000)) }
  private func user(_ name: String, from network: String = "192.0.2.1", device: String? = nil) -> Attempt {
    Attempt(user: name, network: network, device: device)
  }

  @Test("five attempts for a name from an address, then one a minute; other names are not held up")
  func perName() {
    let throttle = LoginThrottle()
    for _ in 0..<5 { #expect(throttle.attempt(user("anna"), at: at(0)) == .allowed) }
    #expect(throttle.attempt(user("anna"), at: at(0)) == .wait(seconds: 60))
    #expect(throttle.attempt(user("ANNA"), at: at(20)) == .wait(seconds: 40))
    #expect(throttle.attempt(user("ben"), at: at(20)) == .allowed)
    #expect(throttle.attempt(user("anna"), at: at(60)) == .allowed)
    #expect(throttle.attempt(user("anna"), at: at(60)) == .wait(seconds: 60))
  }

  @Test("twenty attempts with made-up names from an address, then one in ten seconds; another address is not held up")
  func strangers() {
    let throttle = LoginThrottle()
    for index in 0..<20 { #expect(throttle.attempt(user("user\(index)"), at: at(0)) == .allowed) }
    #expect(throttle.attempt(user("another"), at: at(0)) == .wait(seconds: 10))
    #expect(throttle.attempt(user("another", from: "203.0.113.1"), at: at(0)) == .allowed)
    #expect(throttle.attempt(user("another"), at: at(10)) == .allowed)
    #expect(throttle.attempt(user("yet another"), at: at(10)) == .wait(seconds: 10))
  }

  @Test("a flood of made-up names from one address holds up no other address, and from a thousand no known device")
  func flood() {
    let throttle = LoginThrottle()
    for second in 0..<600 {
      for index in 0..<20 { _ = throttle.attempt(user("\(second) \(index)"), at: at(Double(second))) }
      guard second % 60 == 0 else { continue }
      #expect(throttle.attempt(user("anna", from: "203.0.113.9"), at: at(Double(second))) == .allowed)
    }
    var allowed = 0
    for second in 600..<1200 {
      for index in 0..<1000 {
        let attempt = user("\(second) \(index)", from: "10.0.\(index)")
        if throttle.attempt(attempt, at: at(Double(second))) == .allowed { allowed += 1 }
      }
      guard second % 60 == 0 else { continue }
      #expect(throttle.attempt(user("anna", device: "d1"), at: at(Double(second))) == .allowed)
    }
    // 32 shares have thirty each, and one more in five seconds.
    #expect(allowed <= 32 * (30 + 600 / 5))
  }

  @Test("sign-ins with a provider have limits of their own: twenty from an address, then one in ten seconds")
  func signIns() {
    let throttle = LoginThrottle()
    for _ in 0..<20 { #expect(throttle.signIn(from: "192.0.2.1", at: at(0)) == .allowed) }
    #expect(throttle.signIn(from: "192.0.2.1", at: at(0)) == .wait(seconds: 10))
    #expect(throttle.attempt(user("anna"), at: at(0)) == .allowed)
    throttle.signedIn(from: "192.0.2.1")
    #expect(throttle.signIn(from: "192.0.2.1", at: at(0)) == .allowed)
    let others = (0..<5000).count { throttle.signIn(from: "10.0.\($0)", at: at(0)) == .allowed }
    #expect(others <= 32 * 30)
  }

  @Test("a device that logged in before is not held up by whoever tries its name, from wherever")
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

  @Test("over an hour a guesser gets 65 attempts at a name from one address, and 390 from a thousand")
  func hour() {
    let throttle = LoginThrottle()
    #expect((0...3600).filter { throttle.attempt(user("anna"), at: at(Double($0))) == .allowed }.count == 65)
    let other = LoginThrottle()
    let allowed = (0...36_000).filter { step in
      other.attempt(user("anna", from: "198.51.\(step % 1000)"), at: at(Double(step) / 10)) == .allowed
    }
    #expect(allowed.count == 390)
  }

  @Test("a login that succeeds gives its own attempt back, and leaves nothing that others could see")
  func success() {
    let throttle = LoginThrottle()
    for _ in 0..<4 { _ = throttle.attempt(user("anna"), at: at(0)) }
    #expect(throttle.attempt(user("anna"), at: at(0)) == .allowed)
    throttle.succeeded(user("Anna"))
    #expect(throttle.attempt(user("anna"), at: at(0)) == .allowed)
    #expect(throttle.attempt(user("anna"), at: at(0)) == .wait(seconds: 60))
    for _ in 0..<5 { _ = throttle.attempt(user("anna", device: "d1"), at: at(0)) }
    throttle.succeeded(user("anna", device: "d1"))
    #expect(throttle.attempt(user("anna", device: "d1"), at: at(0)) == .allowed)
  }

  @Test("logging in gives back no more than a user has at most: thirty attempts from everywhere")
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

  @Test("a clock that is set back, or far ahead, neither traps nor locks anybody out")
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
    hash: IdentityHash(secret: [UInt8](repeating: 7, count: 32)),
    like: SessionCookie(publicURL: "https://plumb.example.com"))

  @Test("a device is known again by its cookie, for the name it logged in with only")
  func known() throws {
    let pair = try #require(cookie.setting(user: "Anna").split(separator: ";").first).description
    #expect(pair.hasPrefix("__Host-plumb-device="))
    #expect(cookie.device(in: "a=b; \(pair)", of: "anna") != nil)
    #expect(cookie.device(in: pair, of: "ANNA") == cookie.device(in: pair, of: "anna"))
    #expect(cookie.device(in: pair, of: "ben") == nil)
    #expect(cookie.setting(user: "anna") != cookie.setting(user: "anna"))
  }

  @Test("a cookie that was made up, changed, or made under another secret proves nothing")
  func forged() throws {
    let pair = try #require(cookie.setting(user: "anna").split(separator: ";").first).description
    let other = DeviceCookie(
      hash: IdentityHash(secret: [UInt8](repeating: 8, count: 32)), like: SessionCookie(publicURL: "https://x.example"))
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
