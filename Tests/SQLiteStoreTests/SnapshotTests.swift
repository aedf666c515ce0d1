import Dispatch
import Testing

@testable import Core
@testable import SQLiteStore
@testable import Storage

/// Questions that belong together see one state of the store.
struct SnapshotTests {
  private static func batch(_ sequence: Int64) -> DigestedBatch {
    DigestedBatch(
      node: Scene.node, from: sequence, through: sequence,
      tallies: [IntakeTally(app: 1, day: Scene.today, kind: .rejected, reason: "syntax", detail: "", count: 1)])
  }

  private static func seen(_ store: SQLiteStore) throws -> [Int64] {
    let tallies = try store.tallies(of: 1, in: Window(days: 2, endingOn: Scene.today))
    return [
      try store.inventory(of: 1).digestedThrough, try store.watermark(of: Scene.node),
      Int64(tallies.reduce(0) { $0 + $1.count }),
    ]
  }

  /// On a thread of its own, as the digest does.
  private static func apply(_ sequence: Int64, to store: SQLiteStore) {
    let done = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      do { try store.apply(batch(sequence)) } catch { Issue.record(error) }
      done.signal()
    }
    done.wait()
  }

  @Test("a batch that is applied between two queries of a snapshot affects neither")
  func between() throws {
    let scene = try Scene()
    try scene.store.apply(Self.batch(1))
    let (before, after) = try scene.store.snapshot {
      let before = try Self.seen(scene.store)
      Self.apply(2, to: scene.store)
      return (before, try Self.seen(scene.store))
    }
    #expect(before == [1, 1, 1] && after == before)
    #expect(try Self.seen(scene.store) == [2, 2, 2])
  }

  @Test("without a snapshot each query sees the newest state")
  func apart() throws {
    let scene = try Scene()
    try scene.store.apply(Self.batch(1))
    #expect(try Self.seen(scene.store) == [1, 1, 1])
    Self.apply(2, to: scene.store)
    #expect(try Self.seen(scene.store) == [2, 2, 2])
  }

  @Test("an error in a snapshot is passed on, and the next query sees the newest state")
  func failing() throws {
    let scene = try Scene()
    #expect(throws: StoreError.damaged("here")) {
      try scene.store.snapshot { throw StoreError.damaged("here") }
    }
    try scene.store.apply(Self.batch(1))
    #expect(try scene.store.snapshot { try scene.store.snapshot { try Self.seen(scene.store) } } == [1, 1, 1])
  }
}
