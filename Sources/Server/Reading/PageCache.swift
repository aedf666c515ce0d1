import HTTP
import Synchronization
import Telemetry

/// Pages as they were sent last, for at most fifteen seconds; the least recently used go when 32 MB are full.
final class PageCache: Sendable {
  private let state = Mutex(State())

  private struct State {
    var entries: [String: Entry] = [:]
    var bytes = 0
    var clock: UInt64 = 0
  }

  private struct Entry {
    let response: Response
    let tag: String
    let size: Int
    let rendered: Timestamp
    var used: UInt64
  }

  private static let lifetime: Int64 = 15_000
  private static let capacity = 32 << 20

  /// The page at `address` if it is young enough, with its ETag.
  func response(_ address: String, at now: Timestamp) -> (response: Response, tag: String)? {
    state.withLock { state in
      guard var entry = state.entries[address], now.milliseconds - entry.rendered.milliseconds < Self.lifetime,
        now >= entry.rendered
      else { return nil }
      state.clock += 1
      entry.used = state.clock
      state.entries[address] = entry
      return (entry.response, entry.tag)
    }
  }

  /// Keeps a page. `response` must carry `tag` as its ETag.
  func keep(_ response: Response, tag: String, size: Int, at address: String, rendered: Timestamp) {
    state.withLock { state in
      state.clock += 1
      if let old = state.entries[address] { state.bytes -= old.size }
      state.entries[address] = Entry(
        response: response, tag: tag, size: size, rendered: rendered, used: state.clock)
      state.bytes += size
      while state.bytes > Self.capacity, let oldest = state.entries.min(by: { $0.value.used < $1.value.used }) {
        state.entries[oldest.key] = nil
        state.bytes -= oldest.value.size
      }
    }
  }

  /// An ETag for a body: FNV-1a, 64 bits.
  static func tag(of body: [UInt8]) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in body { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return "\"\(String(hash, radix: 16))\""
  }
}
