import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Core
@testable import Storage
@testable import Web

@Suite("Cached pages")
struct PageCacheTests {
  private let page = Response(status: 200, body: Array("page".utf8))

  private func at(_ seconds: Double) -> Timestamp { Timestamp(milliseconds: Int64(1_700_000_000_000 + seconds * 1000)) }

  @Test("cached pages are sent while the data's version is unchanged, until current numbers take their next step")
  func currency() {
    let cache = PageCache()
    // The moment 1,700,000,000 s lies 200 s into its five minutes.
    cache.keep(page, tag: "\"a\"", size: 4, at: "/", rendered: at(0), dataVersion: 7)
    #expect(cache.response("/", dataVersion: 7, at: at(0))?.response.body == page.body)
    #expect(cache.response("/", dataVersion: 7, at: at(99.9))?.tag == "\"a\"")
    #expect(cache.response("/", dataVersion: 7, at: at(100)) == nil)
    #expect(cache.response("/", dataVersion: 8, at: at(0)) == nil)
    #expect(cache.response("/", dataVersion: nil, at: at(0)) == nil)
    #expect(cache.response("/other", dataVersion: 7, at: at(0)) == nil)
  }

  @Test("cached pages are not sent for a time before they were rendered, after a clock was set back")
  func clockSetBack() {
    let cache = PageCache()
    cache.keep(page, tag: "\"a\"", size: 4, at: "/", rendered: at(0), dataVersion: 7)
    #expect(cache.response("/", dataVersion: 7, at: at(-1)) == nil)
  }

  @Test("a page is rendered once per version for all requests, and again by the next one if it failed")
  func turns() {
    let cache = PageCache()
    let made = Mutex<[UInt64]>([])
    for (version, fails) in [(UInt64(1), false), (2, true), (3, false)] {
      let answered = Mutex(0)
      /// What a worker does for one request.
      @Sendable func serve() {
        switch cache.turn("/", dataVersion: { version }, at: at(0), again: serve) {
        case .kept: answered.withLock { $0 += 1 }
        case .others: return
        case .full: Issue.record("forty wait")
        case .own:
          defer { cache.finish("/") }
          let isFirst = made.withLock { made in
            made.append(version)
            return made.count { $0 == version } == 1
          }
          usleep(2_000)
          answered.withLock { $0 += 1 }
          if fails, isFirst { return }
          cache.keep(page, tag: "\"\(version)\"", size: 4, at: "/", rendered: at(0), dataVersion: version)
        }
      }
      DispatchQueue.concurrentPerform(iterations: 40) { _ in serve() }
      #expect(answered.withLock { $0 } == 40)
    }
    #expect(made.withLock { $0 } == [1, 2, 2, 3])
    #expect(cache.response("/", dataVersion: 3, at: at(0))?.tag == "\"3\"")
  }

  @Test("the page cache lets 256 requests wait without a thread, and refuses more")
  func waiting() {
    let cache = PageCache()
    let called = Mutex(0)
    func ask(_ address: String) -> PageCache.Turn {
      cache.turn(address, dataVersion: { 1 }, at: at(0)) { called.withLock { $0 += 1 } }
    }
    func text(_ turn: PageCache.Turn) -> String {
      switch turn {
      case .kept: "kept"
      case .own: "own"
      case .others: "others"
      case .full: "full"
      }
    }
    #expect([ask("/a"), ask("/b")].map(text) == ["own", "own"])
    for _ in 0..<256 { #expect(text(ask("/a")) == "others") }
    #expect([ask("/b"), ask("/c")].map(text) == ["full", "own"])
    cache.finish("/a")
    #expect(called.withLock { $0 } == 256)
    #expect(text(ask("/b")) == "others")
  }

  @Test("cached pages are evicted when 32 MB are full, those without requests first")
  func eviction() {
    let cache = PageCache()
    let megabyte = 1 << 20
    for index in 0..<32 {
      cache.keep(page, tag: "\"\(index)\"", size: megabyte, at: "/\(index)", rendered: at(0), dataVersion: 7)
    }
    #expect(cache.response("/0", dataVersion: 7, at: at(1)) != nil)
    cache.keep(page, tag: "\"new\"", size: megabyte, at: "/new", rendered: at(1), dataVersion: 7)
    #expect(cache.response("/0", dataVersion: 7, at: at(2)) != nil)
    #expect(cache.response("/1", dataVersion: 7, at: at(2)) == nil)
    #expect(cache.response("/2", dataVersion: 7, at: at(2)) != nil)
    #expect(cache.response("/new", dataVersion: 7, at: at(2)) != nil)
  }

  @Test("a page that is rendered again counts once in the cache, and one that is too large not at all")
  func replacement() {
    let cache = PageCache()
    let megabyte = 1 << 20
    cache.keep(page, tag: "\"small\"", size: megabyte, at: "/small", rendered: at(0), dataVersion: 7)
    for _ in 0..<100 { cache.keep(page, tag: "\"a\"", size: 16 * megabyte, at: "/", rendered: at(0), dataVersion: 7) }
    #expect(cache.response("/small", dataVersion: 7, at: at(1)) != nil)
    cache.keep(page, tag: "\"huge\"", size: 33 * megabyte, at: "/huge", rendered: at(1), dataVersion: 7)
    #expect(cache.response("/huge", dataVersion: 7, at: at(1)) == nil)
  }

  @Test("cached pages are distinguished by every part of their URL")
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
      for viewer in ["user 1", "1", "0,3=1"] {
        #expect(seen.insert(PageCache.address(of: request, viewer: viewer)).inserted, "\(target)")
      }
    }
  }
}

@Suite("Entity tags")
struct EntityTagTests {
  @Test("entity tags follow FNV-1a")
  func vectors() {
    // From the authors' test vectors for the 64-bit hash.
    #expect(EntityTag.of([]) == "\"cbf29ce484222325\"")
    #expect(EntityTag.of(Array("a".utf8)) == "\"af63dc4c8601ec8c\"")
    #expect(EntityTag.of(Array("foobar".utf8)) == "\"85944171f73967e8\"")
  }

  @Test("entity tags match as RFC 9110 says: alone, in lists, weak, and any")
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

@Suite("Cached summaries of apps")
struct AnswerCacheTests {
  private let app = App(id: 1, bundleID: "com.example.shop", created: Timestamp(milliseconds: 0))
  private let other = App(id: 2, bundleID: "com.example.notes", created: Timestamp(milliseconds: 0))

  @Test("cached summaries are read again when their app, shared data, settings or the five minutes change")
  func currency() throws {
    let cache = AnswerCache()
    var reads = 0
    func isRead(_ app: App, _ versions: AppVersions?, minute: Int64 = 0) throws -> Bool {
      let before = reads
      let now = Timestamp(milliseconds: 1_700_000_100_000 + minute * 60_000)
      let summary = try cache.answer(to: ["summary"], about: app, versions, at: now) {
        reads += 1
        return AppSummary(id: app.bundleID)
      }
      #expect(summary.id == app.bundleID)
      return reads > before
    }
    let first = AppVersions(common: 1, own: [1: 5])
    #expect(try isRead(app, first) && isRead(other, first))
    #expect(try !isRead(app, first) && !isRead(other, first) && !isRead(app, first, minute: 4))
    #expect(try isRead(app, AppVersions(common: 1, own: [1: 6])))
    #expect(try !isRead(other, AppVersions(common: 1, own: [1: 6])), "another app's news")
    #expect(try isRead(app, AppVersions(common: 2, own: [1: 6])))
    #expect(try isRead(app, AppVersions(common: 2, own: [1: 6]), minute: 5))
    var renamed = app
    renamed.settings.timeZone = "Asia/Tokyo"
    #expect(try isRead(renamed, AppVersions(common: 2, own: [1: 6]), minute: 5))
    #expect(try isRead(app, nil) && isRead(app, nil), "while versions are unknown nothing is kept")
  }

  @Test("an answer that takes long is given for a minute after new payloads, not after deletions, and ends its page")
  func staleness() throws {
    let cache = AnswerCache()
    var reads = 0
    func ask(_ second: Int64, _ versions: AppVersions, staleFor: Int64 = 60_000) throws -> (number: Int, end: Int64?) {
      let now = Timestamp(milliseconds: 1_700_000_100_000 + second * 1_000)
      let expiry = PageExpiry()
      let number = try cache.answer(
        to: ["causes"], about: app, versions, at: now, staleFor: staleFor, expiry: expiry
      ) {
        reads += 1
        return reads
      }
      return (number, expiry.time.map { ($0.milliseconds - 1_700_000_100_000) / 1_000 })
    }
    let first = AppVersions(common: 1, own: [1: 5])
    let second = AppVersions(common: 1, own: [1: 6])
    #expect(try ask(10, first) == (1, nil))
    #expect(try ask(20, first) == (1, nil), "nothing has changed")
    #expect(try ask(30, second) == (1, 70), "new payloads: the page must be rendered again after 70 seconds")
    #expect(try ask(69, second) == (1, 70))
    #expect(try ask(70, second) == (2, nil))
    #expect(try ask(71, AppVersions(common: 1, own: [1: 7]), staleFor: 0) == (3, nil))
    #expect(try ask(72, AppVersions(common: 2, own: [1: 8])) == (4, nil), "a deletion changes what all apps share")
    #expect(try ask(60, AppVersions(common: 2, own: [1: 9])) == (5, nil), "a clock that was set back")
  }

  @Test("a page with an answer from before the last change is rendered again when that answer ends")
  func expiry() {
    let cache = PageCache()
    let response = Response(status: 200, body: [])
    func now(_ second: Int64) -> Timestamp { Timestamp(milliseconds: 1_700_000_100_000 + second * 1_000) }
    cache.keep(response, tag: "a", size: 1, at: "page", rendered: now(0), expiry: now(40), dataVersion: 1)
    #expect(cache.response("page", dataVersion: 1, at: now(39)) != nil)
    #expect(cache.response("page", dataVersion: 1, at: now(40)) == nil)
  }

  @Test("a summary that could not be read is not cached")
  func failure() throws {
    struct Failure: Error {}
    let cache = AnswerCache()
    let versions = AppVersions(common: 1, own: [:])
    let now = Timestamp(milliseconds: 0)
    #expect(throws: Failure.self) {
      try cache.answer(to: ["summary"], about: app, versions, at: now) { throw Failure() }
    }
    #expect(try cache.answer(to: ["summary"], about: app, versions, at: now) { AppSummary(id: "a") }.id == "a")
  }
}
