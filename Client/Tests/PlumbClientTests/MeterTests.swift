import Foundation
import Testing

@testable import PlumbClient

@Suite("Meters of threads, frames, views and screens")
struct MeterTests {
  private let clock = TestClock()
  private let buffer: MeasurementBuffer

  init() { buffer = MeasurementBuffer(clock: clock.clock) }

  private func values(_ metric: Metric, label: String? = nil) -> [Double] {
    let origin = Origin(bundleID: "", version: "", build: "", model: "", system: "", environment: "")
    let document = buffer.document(origin, installation: nil, clearing: false)
    let all = (document?.measurements ?? []) + (document?.counters ?? [])
    return all.filter { $0.metric == metric.name && (label == nil || $0.label == label) }.map(\.value)
  }

  private func isClose(_ values: [Double], _ wanted: [Double]) -> Bool {
    values.count == wanted.count && zip(values, wanted).allSatisfy { abs($0 - $1) < 0.001 }
  }

  @Test("work of a frame or more is a block; waiting, the background and a suspended process are not")
  func blocks() {
    let found = Box<[Double]>([])
    let meter = BlockMeter(clock: clock.clock) { found.value.append($0) }
    for seconds in [0.010, 0.020, 0.3, 61] {
      meter.begin()
      clock.advance(seconds)
      meter.end()
      clock.advance(5)
    }
    #expect(isClose(found.value, [20, 300]))
    meter.begin()
    clock.advance(2.5)
    #expect(abs(meter.working - 2.5) < 0.001)
    meter.set(active: false)
    clock.advance(2)
    meter.end()
    meter.begin()
    #expect(meter.working == 0)
    meter.set(active: true)
    meter.end()
    #expect(found.value.count == 2)
  }

  @Test("a scroll of sixty frames with one of 50 ms has two dropped frames and 33 ms of hitches")
  func frames() throws {
    let meter = FrameMeter(buffer: buffer) { "Feed" }
    let frame = 1.0 / 60
    var time = 100.0
    meter.frame(at: time, duration: frame)
    for number in 0..<60 {
      time += number == 30 ? 3 * frame : frame
      meter.frame(at: time, duration: frame)
    }
    // Another scroll, ten seconds later: the time between is no frame.
    time += 10
    meter.frame(at: time, duration: frame)
    meter.finish()
    #expect(values(.frames, label: "Feed") == [60])
    #expect(values(.framesDropped, label: "Feed") == [2])
    let ratio = try #require(values(.hitchRatio, label: "Feed").first)
    #expect(abs(ratio - 33.333 / (62 * frame)) < 0.1)
    let origin = Origin(bundleID: "", version: "", build: "", model: "", system: "", environment: "")
    let histogram = buffer.document(origin, installation: nil, clearing: false)?.histograms?
      .first { $0.metric == "ui.frame_time" }
    #expect(histogram?.counts.reduce(0, +) == 60)
  }

  @Test("a display that changes from 120 to 60 Hz drops no frame, and a short scroll has no hitch ratio")
  func changingRate() {
    let meter = FrameMeter(buffer: buffer) { "" }
    var time = 5.0
    for duration in [1.0 / 120, 1.0 / 120, 1.0 / 60, 1.0 / 60] {
      meter.frame(at: time, duration: duration)
      time += duration
    }
    meter.frame(at: time, duration: 1.0 / 60)
    meter.frame(at: time - 1, duration: 1.0 / 60)
    meter.frame(at: time, duration: 0)
    meter.finish()
    #expect(values(.framesDropped).isEmpty)
    #expect(values(.hitchRatio).isEmpty)
    #expect(values(.frames) == [4])
  }

  @Test("a view's body is timed, and its evaluations count until a second after it appeared")
  func views() {
    let view = ViewAppearance("Cart", buffer: buffer, clock: clock.clock)
    for _ in 0..<3 {
      let result = view.evaluate { () -> Int in
        clock.advance(0.002)
        return 7
      }
      #expect(result == 7)
    }
    view.appear()
    #expect(isClose(values(.viewCreation, label: "Cart"), [6]))
    clock.advance(0.5)
    view.evaluate { clock.advance(0.001) }
    clock.advance(2)
    view.evaluate { clock.advance(0.001) }
    view.settle()
    view.disappear()
    #expect(values(.bodyEvaluations, label: "Cart") == [4])
    #expect(isClose(values(.body, label: "Cart"), [2000, 2000, 2000, 1000, 1000]))
    view.evaluate {}
    view.appear()
    view.disappear()
    #expect(values(.bodyEvaluations) == [4, 1])
    #expect(throws: CancellationError.self) { try view.evaluate { throw CancellationError() } }
  }

  @Test("rows count if a list creates them when it appears, but not if scrolling creates them")
  func rows() {
    let list = RowCounter("Feed", buffer: buffer, clock: clock.clock)
    for _ in 0..<12 { list.created() }
    clock.advance(1.5)
    for _ in 0..<40 { list.created() }
    list.disappear()
    #expect(values(.rowsCreated, label: "Feed") == [12])
    list.settle()
    list.disappear()
    #expect(values(.rowsCreated) == [12])
    list.created()
    list.disappear()
    #expect(values(.rowsCreated) == [12, 1])
  }

  @Test("a screen has its load time, its maximum memory, and the bytes received while it was visible")
  func screens() {
    let memory = Box(50e6)
    let tracker = ScreenTracker(buffer: buffer, clock: clock.clock) { memory.value }
    var visit: ScreenVisit? = ScreenVisit(tracker, "Cart")
    #expect(tracker.top == "Cart")
    clock.advance(0.42)
    visit?.markLoaded()
    clock.advance(9)
    visit?.markLoaded()
    memory.value = 90e6
    tracker.sampleMemory()
    memory.value = 60e6
    tracker.received(bytes: 1000)
    tracker.received(bytes: 500)
    tracker.received(bytes: -.infinity)
    // Forgotten: the last reference ends it.
    visit = nil
    #expect(isClose(values(.screenLoad, label: "Cart"), [420]))
    #expect(values(.screenMemory, label: "Cart") == [90e6])
    #expect(values(.screenBytes, label: "Cart") == [1500])
    #expect(tracker.top == "")
    let many = (0..<1000).map { _ in ScreenVisit(tracker, "Cart") }
    many.forEach { $0.end() }
    #expect(values(.screenMemory).isEmpty == false)
    visit?.end()
  }

  @Test("the memory of this process equals the kernel's figure")
  func footprint() throws {
    let before = try #require(MemoryFootprint.bytes())
    let block = [UInt8](repeating: 1, count: 64_000_000)
    let after = try #require(MemoryFootprint.bytes())
    #expect(after - before > 50e6 * Double(block[100]))
  }

  @Test("a stopwatch counts once, and only if it is stopped")
  func stopwatch() {
    let found = Box<[Double]>([])
    let watch = Stopwatch(clock: clock.clock) { found.value.append($0) }
    clock.advance(1.5)
    watch.stop()
    watch.stop()
    _ = Stopwatch(clock: clock.clock) { found.value.append($0) }
    #expect(isClose(found.value, [1.5]))
  }
}

/// A value that closures share.
final class Box<Value>: @unchecked Sendable {
  // Invariant: used with `lock` held.
  private let lock = NSLock()
  private var stored: Value
  init(_ value: Value) { stored = value }
  var value: Value {
    get { lock.withLock { stored } }
    set { lock.withLock { stored = newValue } }
  }
}
