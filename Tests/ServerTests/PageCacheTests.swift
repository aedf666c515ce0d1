import HTTP
import Telemetry
import Testing

@testable import Server

@Suite("Cached pages")
struct PageCacheTests {
  private let page = Response(status: 200, body: Array("page".utf8))

  private func at(_ seconds: Double) -> Timestamp { Timestamp(milliseconds: Int64(1_700_000_000_000 + seconds * 1000)) }

  @Test("are at most three seconds old")
  func lifetime() {
    let cache = PageCache()
    cache.keep(page, tag: "\"a\"", size: 4, at: "/", rendered: at(0))
    #expect(cache.response("/", at: at(0))?.tag == "\"a\"")
    #expect(cache.response("/", at: at(2.999))?.response.body == page.body)
    #expect(cache.response("/", at: at(3)) == nil)
    #expect(cache.response("/other", at: at(1)) == nil)
  }

  @Test("are kept while nothing changes, until numbers about the moment take their next step")
  func unchanged() {
    let cache = PageCache()
    // The moment 1,700,000,000 s lies 200 s into its five minutes.
    cache.keep(page, tag: "\"a\"", size: 4, at: "/", rendered: at(0), dataVersion: 7)
    #expect(cache.response("/", at: at(20)) == nil)
    #expect(cache.revalidated("/", dataVersion: 8, at: at(20)) == nil)
    #expect(cache.revalidated("/", dataVersion: nil, at: at(20)) == nil)
    #expect(cache.revalidated("/", dataVersion: 7, at: at(20))?.tag == "\"a\"")
    #expect(cache.response("/", at: at(22.9))?.tag == "\"a\"")
    #expect(cache.revalidated("/", dataVersion: 7, at: at(99.9))?.tag == "\"a\"")
    #expect(cache.revalidated("/", dataVersion: 7, at: at(100)) == nil)
    cache.keep(page, tag: "\"b\"", size: 4, at: "/b", rendered: at(0))
    #expect(cache.revalidated("/b", dataVersion: nil, at: at(20)) == nil)
  }

  @Test("are not served before they were made, after a clock was set back")
  func clockSetBack() {
    let cache = PageCache()
    cache.keep(page, tag: "\"a\"", size: 4, at: "/", rendered: at(0))
    #expect(cache.response("/", at: at(-1)) == nil)
  }

  @Test("give way when 32 MB are full, those first that nobody asked for")
  func eviction() {
    let cache = PageCache()
    let megabyte = 1 << 20
    for index in 0..<32 { cache.keep(page, tag: "\"\(index)\"", size: megabyte, at: "/\(index)", rendered: at(0)) }
    #expect(cache.response("/0", at: at(1)) != nil)
    cache.keep(page, tag: "\"new\"", size: megabyte, at: "/new", rendered: at(1))
    #expect(cache.response("/0", at: at(2)) != nil)
    #expect(cache.response("/1", at: at(2)) == nil)
    #expect(cache.response("/2", at: at(2)) != nil)
    #expect(cache.response("/new", at: at(2)) != nil)
  }

  @Test("count once when they are made again, and not at all when they are too large")
  func replacement() {
    let cache = PageCache()
    let megabyte = 1 << 20
    cache.keep(page, tag: "\"small\"", size: megabyte, at: "/small", rendered: at(0))
    for _ in 0..<100 { cache.keep(page, tag: "\"a\"", size: 16 * megabyte, at: "/", rendered: at(0)) }
    #expect(cache.response("/small", at: at(1)) != nil)
    cache.keep(page, tag: "\"huge\"", size: 33 * megabyte, at: "/huge", rendered: at(1))
    #expect(cache.response("/huge", at: at(1)) == nil)
  }

  @Test("are told apart by every part of their address, however it is cut")
  func addresses() {
    let targets = [
      "/apps/a", "/apps%2Fa", "/apps/a?b=c", "/apps/a%3Fb=c", "/apps/a?b=c&d=e", "/apps/a?b=c%26d%3De",
      "/apps/a?b%3Dc=",
      "/apps/a/b/c", "/apps/a%00b%00c", "/apps/a%20b?c=d", "/apps/a?%20b=c", "/apps/a%20b=c", "/apps/a?b=c%20d",
      "/apps/a%20b?=c",
      "/", "/?a=", "/?=a",
    ]
    var seen: Set<String> = []
    for target in targets {
      let request = RequestSnapshot(method: "GET", target: target)
      for isSignedIn in [true, false] {
        #expect(seen.insert(PageCache.address(of: request, isSignedIn: isSignedIn)).inserted, "\(target)")
      }
    }
  }
}

@Suite("Entity tags")
struct EntityTagTests {
  @Test("follow FNV-1a")
  func vectors() {
    // From the authors' test vectors for the 64-bit hash.
    #expect(EntityTag.of([]) == "\"cbf29ce484222325\"")
    #expect(EntityTag.of(Array("a".utf8)) == "\"af63dc4c8601ec8c\"")
    #expect(EntityTag.of(Array("foobar".utf8)) == "\"85944171f73967e8\"")
  }

  @Test("match as RFC 9110 says: alone, in lists, weak, and any")
  func matching() {
    let tag = "\"af63\""
    for value in ["\"af63\"", "W/\"af63\"", "\"x\", \"af63\"", "\"x\",W/\"af63\" ", " \"af63\"", "*"] {
      #expect(EntityTag.matches(value, tag), "\(value)")
    }
    for value in ["", "af63", "\"AF63\"", "\"af6\"", "\"af633\"", "w/\"af63\"", ",,,", "\"x\""] {
      #expect(!EntityTag.matches(value, tag), "\(value)")
    }
    #expect(!EntityTag.matches(nil, tag))
  }
}
