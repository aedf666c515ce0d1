import Core
import Synchronization

/// A cache of rendered pages of at most 32 MiB, which evicts the least recently used pages first.
///
/// A page is current until the version of the data changes, and at most until the current interval of five minutes
/// ends, because some numbers depend on the time in steps of five minutes.
final class PageCache: Sendable {
  private let state = Mutex(State())

  private struct State {
    var entries: [String: Entry] = [:]
    var bytes = 0
    var clock: UInt64 = 0
    /// The addresses of pages that are being rendered, with closures to call afterwards.
    var making: [String: [@Sendable () -> Void]] = [:]
    var waiting = 0

    mutating func current(
      _ address: String, _ dataVersion: UInt64?, _ now: Timestamp
    ) -> (response: Response, tag: String)? {
      guard let entry = entries[address], entry.dataVersion == dataVersion, now >= entry.rendered,
        entry.expiry.map({ now < $0 }) ?? true,
        now.milliseconds / PageCache.slot == entry.rendered.milliseconds / PageCache.slot
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
    /// When the page is outdated even without a change; nil if only the interval of five minutes limits it.
    let expiry: Timestamp?
    /// The version of the data that the page was rendered from.
    let dataVersion: UInt64
    var used: UInt64
  }

  private static let capacity = 32 << 20

  /// The step, in milliseconds, in which numbers depend on the current time.
  static let slot: Int64 = 300_000

  /// The page at `address` with its ETag, if it is current. `dataVersion`: the current version of the data; nil if
  /// unknown, which never matches.
  func response(
    _ address: String, dataVersion: UInt64?, at now: Timestamp
  ) -> (response: Response, tag: String)? {
    state.withLock { $0.current(address, dataVersion, now) }
  }

  /// What a caller that needs a page must do.
  enum Turn {
    case kept(Response, tag: String)
    /// Render the page and call `finish`.
    case own
    /// Nothing: another caller renders the page, and `again` is called afterwards.
    case others
    /// Nothing: too many requests are already waiting.
    case full
  }

  /// The current page at `address`, or the turn that decides who renders it. A page is rendered once for each version
  /// of the data, no matter how many requests need it. Waiting requests do not occupy a thread.
  func turn(
    _ address: String, dataVersion: () -> UInt64?, at now: Timestamp, again: @escaping @Sendable () -> Void
  ) -> Turn {
    let version = dataVersion()
    return state.withLock { state in
      if let kept = state.current(address, version, now) { return .kept(kept.response, tag: kept.tag) }
      guard state.making[address] != nil else {
        state.making[address] = []
        return .own
      }
      guard state.waiting < Self.mostWaiting else { return .full }
      state.making[address]?.append(again)
      state.waiting += 1
      return .others
    }
  }

  /// The maximum number of requests that wait for pages rendered by others.
  private static let mostWaiting = 256

  /// Ends the turn of the caller that renders the page at `address`, even if rendering failed.
  func finish(_ address: String) {
    let waiting = state.withLock { state in
      let waiting = state.making.removeValue(forKey: address) ?? []
      state.waiting -= waiting.count
      return waiting
    }
    for again in waiting { again() }
  }

  /// Stores a page. `response` must have `tag` as its ETag; `size` is in bytes.
  func keep(
    _ response: Response, tag: String, size: Int, at address: String, rendered: Timestamp, expiry: Timestamp? = nil,
    dataVersion: UInt64
  ) {
    state.withLock { state in
      state.clock += 1
      if let old = state.entries[address] { state.bytes -= old.size }
      state.entries[address] = Entry(
        response: response, tag: tag, size: size, rendered: rendered, expiry: expiry, dataVersion: dataVersion,
        used: state.clock)
      state.bytes += size
      while state.bytes > Self.capacity, let oldest = state.entries.min(by: { $0.value.used < $1.value.used }) {
        state.entries[oldest.key] = nil
        state.bytes -= oldest.value.size
      }
    }
  }

  /// Removes all pages, after a user changed their content.
  func forget() {
    state.withLock { state in
      state.entries = [:]
      state.bytes = 0
    }
  }

  /// The cache key of a page. Each part is preceded by its length, because a decoded part may contain any separator.
  /// `viewer`: the reader's part of the key (`ReadAccess.Reader.cacheKey`).
  static func address(of request: RequestSnapshot, viewer: String) -> String {
    let isTable = isAPI(request.segments) && (try? APIFormat(request)) == .csv
    let gzip = AcceptHeader.allowsGzip(request.header("Accept-Encoding"))
    return address(request.segments, request.query, isTable: isTable, gzip: gzip, viewer: viewer)
  }

  /// The cache key of a page, computed from the request's head without a copy; nil for the API, because its format
  /// depends on headers.
  static func address(of head: borrowing RequestHead, gzip: Bool, viewer: String) -> String? {
    let segments = head.segments
    return isAPI(segments) ? nil : address(segments, head.query, isTable: false, gzip: gzip, viewer: viewer)
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
