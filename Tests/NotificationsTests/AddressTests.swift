import Foundation
import Testing
import TestSupport

@testable import Outbound

@Suite("Addresses of receivers")
struct AddressTests {
  @Test(
    "public addresses are outside",
    arguments: [
      "1.1.1.1", "8.8.8.8", "93.184.216.34", "172.15.255.255", "172.32.0.0", "100.63.255.255",
      "100.128.0.0", "169.253.1.1", "192.0.1.1", "198.20.0.1", "223.255.255.255", "2606:4700::1111", "2a00:1450::1",
      "::ffff:8.8.8.8", "64:ff9b::808:808",
    ])
  func outside(text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(AddressReach(address) == .outside)
    #expect(ReachRule.outside.refusal(address) == nil && ReachRule.outsideAndInside.refusal(address) == nil)
    #expect(ReachRule.inside.refusal(address) != nil, "nothing goes out in the clear")
  }

  @Test(
    "addresses of this machine and of private networks are inside",
    arguments: [
      "127.0.0.1", "127.255.255.254", "10.0.0.1", "10.255.255.255", "172.16.0.1",
      "172.31.255.255", "192.168.1.1", "100.64.0.1", "100.127.255.255", "::1", "fc00::1", "fd12:3456::1",
      "::ffff:127.0.0.1", "::ffff:10.1.2.3", "::ffff:c0a8:101", "64:ff9b::7f00:1",
    ])
  func inside(text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(AddressReach(address) == .inside)
    #expect(try #require(ReachRule.outside.refusal(address)).contains("allow-private"))
    #expect(ReachRule.outsideAndInside.refusal(address) == nil && ReachRule.inside.refusal(address) == nil)
  }

  @Test(
    "link-local, reserved and metadata addresses are never receivers",
    arguments: [
      "0.0.0.0", "0.1.2.3", "169.254.169.254", "169.254.0.1", "100.100.100.200",
      "168.63.129.16", "192.0.0.192", "192.0.2.1", "198.18.0.1", "198.51.100.7", "203.0.113.9", "224.0.0.1",
      "239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "fe80::1", "febf::1", "fec0::1", "ff02::1",
      "fd00:ec2::254", "2001:db8::1", "2001::1", "2002:7f00:1::", "2002:a9fe:a9fe::", "100::1", "::127.0.0.1", "::2",
      "64:ff9b:1::1", "64:ff9b::a9fe:a9fe", "::ffff:169.254.169.254", "::ffff:0.0.0.0", "3fff::1", "4000::1", "5f00::1",
    ])
  func never(text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(AddressReach(address) == .never)
    for rule in [ReachRule.outside, .outsideAndInside, .inside] { #expect(rule.refusal(address) != nil) }
  }

  /// Python's `ipaddress` keeps IANA's registries, too: what it does not call global is not reached.
  /// A failure names its seed as the argument: put it here to see the failure again.
  @Test(
    "only addresses that Python calls global are outside, for random addresses of every block",
    arguments: [UInt64.random(in: 0...999_999)])
  func global(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var addresses: [IPAddress] = []
    for first in UInt8.min...UInt8.max {
      for second in UInt8.min...UInt8.max {
        let rest = (0..<2).map { _ in UInt8.random(in: 0...255, using: &random) }
        addresses.append(IPAddress(bytes: [first, second] + rest))
        if second % 8 == 0 {
          let rest = (0..<14).map { _ in UInt8.random(in: 0...255, using: &random) }
          addresses.append(IPAddress(bytes: [first, second] + rest))
        }
      }
    }
    let outside = addresses.filter { AddressReach($0) == .outside }
    #expect(outside.count > 50_000)
    let program = """
      import ipaddress, sys
      print("\\n".join(a for a in sys.stdin.read().split() if not ipaddress.ip_address(a).is_global))
      """
    let text = outside.map(\.description).joined(separator: "\n")
    let others = try Program.output("python3", ["-c", program], input: Array(text.utf8))
    #expect(String(decoding: others, as: UTF8.self) == "\n")
  }

  @Test("receivers need https, and may use http only where private addresses are allowed")
  func schemes() {
    for address in ["ftp://a.example", "file:///etc/passwd", "gopher://a", "a.example", "//a.example", "", "https:/x"] {
      #expect(WebAddress.problem(address, allowsPrivate: true) != nil, "\(address)")
    }
    #expect(WebAddress.problem("http://127.0.0.1/", allowsPrivate: false) != nil)
    #expect(WebAddress.problem("http://127.0.0.1/", allowsPrivate: true) == nil)
    #expect(WebAddress.problem("HTTPS://a.example/hook?x=y#z", allowsPrivate: false) == nil)
    for address in [
      "https://", "https:///path", "https://user:pass@a.example", "https://a.example/\r\nHost: b",
      "https://a.example/ x",
      "https://a.example\\@b.example", "https://ä.example",
    ] {
      #expect(WebAddress.problem(address, allowsPrivate: true) != nil, "\(address)")
    }
  }
}
