import Testing
import TestSupport

@testable import Web

@Suite("Clients' addresses")
struct ClientAddressTests {
  private func client(_ peer: String, _ headers: [(String, String)], trusting ranges: [String]) -> String? {
    let proxies = TrustedProxies(ranges.map { ClientAddress.Range($0)! })
    let head = RequestHead(method: "GET", target: "/", headers: headers, peer: ClientAddress(peer))
    let snapshot = RequestSnapshot(method: "GET", target: "/", headers: headers, peer: ClientAddress(peer))
    #expect(proxies.client(of: head) == proxies.client(of: snapshot))
    return proxies.client(of: head)?.description
  }

  @Test("addresses are read with and without a port, and IPv4 in IPv6 is IPv4")
  func reading() {
    #expect(ClientAddress("192.0.2.7")?.description == "192.0.2.7")
    #expect(ClientAddress("192.0.2.7:4711")?.description == "192.0.2.7")
    #expect(ClientAddress("[2001:db8::1]:443")?.description == "2001:db8::1")
    #expect(ClientAddress("2001:db8::1")?.description == "2001:db8::1")
    #expect(ClientAddress("::ffff:192.0.2.7") == ClientAddress("192.0.2.7"))
    for text in ["", "localhost", "192.0.2", "192.0.2.256", "[2001:db8::1", "unknown", "_hidden", "1:2:3"] {
      #expect(ClientAddress(text) == nil)
    }
  }

  @Test("a /64 of IPv6 and one IPv4 address are each one subscriber")
  func networks() {
    #expect(ClientAddress("2001:db8:1:2:3::4")?.network == ClientAddress("2001:db8:1:2::9")?.network)
    #expect(ClientAddress("2001:db8:1:2::9")?.network != ClientAddress("2001:db8:1:3::9")?.network)
    #expect(ClientAddress("192.0.2.7")?.network != ClientAddress("192.0.2.8")?.network)
  }

  @Test("forwarded addresses count only from a trusted proxy")
  func untrusted() {
    #expect(client("198.51.100.1", [("X-Forwarded-For", "10.9.9.9")], trusting: ["10.0.0.0/8"]) == "198.51.100.1")
    #expect(client("198.51.100.1", [("Forwarded", "for=10.9.9.9")], trusting: []) == "198.51.100.1")
  }

  @Test("behind trusted proxies, the last address that is not a proxy's is the client")
  func trusted() {
    let proxies = ["10.0.0.0/8", "::1", "2001:db8::/32"]
    #expect(client("10.0.0.1", [("X-Forwarded-For", "203.0.113.5")], trusting: proxies) == "203.0.113.5")
    #expect(
      client("10.0.0.1", [("X-Forwarded-For", "6.6.6.6, 203.0.113.5, 10.0.0.2")], trusting: proxies) == "203.0.113.5")
    let fields = [("X-Forwarded-For", "6.6.6.6"), ("X-Forwarded-For", "203.0.113.5")]
    #expect(client("::1", fields, trusting: proxies) == "203.0.113.5")
    #expect(
      client("10.0.0.1", [("Forwarded", #"for=6.6.6.6, For="[2001:dead::1]:47";proto=https"#)], trusting: proxies)
        == "2001:dead::1")
    #expect(client("10.0.0.1", [("X-Forwarded-For", "nonsense")], trusting: proxies) == "10.0.0.1")
    #expect(client("10.0.0.1", [], trusting: proxies) == "10.0.0.1")
    #expect(client("10.0.0.1", [("X-Forwarded-For", "10.0.0.3, 10.0.0.2")], trusting: proxies) == "10.0.0.3")
  }

  @Test("a range contains the addresses with its prefix, and no others")
  func ranges() throws {
    let proxies = TrustedProxies([try #require(ClientAddress.Range("172.16.0.0/12"))])
    #expect(proxies.contains(try #require(ClientAddress("172.31.255.255"))))
    #expect(!proxies.contains(try #require(ClientAddress("172.32.0.0"))))
    #expect(!proxies.contains(try #require(ClientAddress("2001:db8::1"))))
    let all = TrustedProxies([try #require(ClientAddress.Range("0.0.0.0/0"))])
    #expect(all.contains(try #require(ClientAddress("8.8.8.8"))))
    #expect(!all.contains(try #require(ClientAddress("2001:db8::1"))))
    for text in ["10.0.0.0/33", "10.0.0.0/-1", "2001:db8::/129", "x/8", "10.0.0.0/", ""] {
      #expect(ClientAddress.Range(text) == nil)
    }
  }
}
