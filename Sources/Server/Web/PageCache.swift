import HTTP
import Synchronization
import Telemetry

/// A cache of rendered pages, of at most 32 MiB; the least recently used are dropped first.
///
/// A page is current exactly as long as the version of the data is the one it was made from, and at most until the
/// current interval of five minutes ends, because some numbers depend on the current time in steps of five minutes.
final class PageCache: Sendable {
  private let state = Mutex(State())

  private struct State {
    var entries: [String: Entry] = [:]
    var bytes = 0
    var clock: UInt64 = 0

    mutating func current(
      _ address: String, _ dataVersion: UInt64?, _ now: Timestamp, _ asked: Timestamp?
    ) -> (response: Response, tag: String)? {
      guard let entry = entries[address], now >= entry.rendered,
        now.milliseconds / PageCache.slot == entry.rendered.milliseconds / PageCache.slot,
        entry.dataVersion == dataVersion || asked.map({ entry.rendered > $0 }) == true
      else { return nil }
      clock += 1
      entries[address]?.used = clock
      return (entry.response, entry.tag)
    }
  }

  private struct Entry {
    let response: Response
    let tag: String
    let size: Int
    let rendered: Timestamp
    /// The version of the data that the page was made from.
    let dataVersion: UInt64
    var used: UInt64
  }

  private static let capacity = 32 << 20

  /// The interval, in milliseconds, in whose steps numbers depend on the current time.
  static let slot: Int64 = 300_000

  /// The page at `address` with its ETag, if it is current. `dataVersion`: the current version of the data; nil if
  /// unknown, which never matches. `asked`: when the request came. A page that was begun later is new enough for it,
  /// whatever changed since: otherwise those that wait for a slow page would all make it again.
  func response(
    _ address: String, dataVersion: UInt64?, at now: Timestamp, asked: Timestamp? = nil
  ) -> (response: Response, tag: String)? {
    state.withLock { $0.current(address, dataVersion, now, asked) }
  }

  /// Stores a page. `response` must have `tag` as its ETag; `size` is in bytes.
  func keep(
    _ response: Response, tag: String, size: Int, at address: String, rendered: Timestamp, dataVersion: UInt64
  ) {
    state.withLock { state in
      state.clock += 1
      if let old = state.entries[address] { state.bytes -= old.size }
      state.entries[address] = Entry(
        response: response, tag: tag, size: size, rendered: rendered, dataVersion: dataVersion, used: state.clock)
      state.bytes += size
      while state.bytes > Self.capacity, let oldest = state.entries.min(by: { $0.value.used < $1.value.used }) {
        state.entries[oldest.key] = nil
        state.bytes -= oldest.value.size
      }
    }
  }

  /// Drops every page, after a user changed what they show.
  func forget() {
    state.withLock { state in
      state.entries = [:]
      state.bytes = 0
    }
  }

  /// The cache key of a page. Each part is preceded by its length, because a decoded part may contain any separator.
  /// `viewer`: what the page depends on besides (`ReadAccess.Reader.cacheKey`).
  static func address(of request: RequestSnapshot, viewer: String) -> String {
    let isTable = isAPI(request.segments) && (try? APIFormat(request)) == .csv
    let gzip = AcceptHeader.allowsGzip(request.header("Accept-Encoding"))
    return address(request.segments, request.query, isTable: isTable, gzip: gzip, viewer: viewer)
  }

  /// The cache key of a page, computed from the request's head without a copy; nil for the API, whose format depends on
  /// headers.
  static func address(of head: borrowing RequestHead, gzip: Bool, viewer: String) -> String? {
    let segments = head.segments
    return isAPI(segments) ? nil : address(segments, head.query, isTable: false, gzip: gzip, viewer: viewer)
  }

  /// A page whoever sees it, of which one is made at a time. Others that ask meanwhile wait in the queue and find it in
  /// the cache.
  static func place(of request: RequestSnapshot) -> String {
    address(request.segments, request.query, isTable: false, gzip: false, viewer: "page")
  }

  private static func isAPI(_ segments: [String]) -> Bool { segments.first == "api" }

  private static func address(
    _ segments: [String], _ query: [(name: String, value: String)], isTable: Bool, gzip: Bool, viewer: String
  ) -> String {
    var address = isTable ? "csv " : ""
    address.reserveCapacity(128)
    address += gzip ? "gzip " : ""
    address += viewer
    address += " "
    address += String(segments.count)
    func add(_ part: String) {
      address += " "
      address += String(part.utf8.count)
      address += ":"
      address += part
    }
    for segment in segments { add(segment) }
    for (name, value) in query {
      add(name)
      add(value)
    }
    return address
  }
}
