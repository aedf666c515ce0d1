import Testing

@testable import Core

@Suite("Values narrowed to their known ends")
struct MeasurementTests {
  private func narrowed(_ spans: [Span], _ minimum: Double?, _ maximum: Double?) -> [Span]? {
    let value = Measurement.Value.spans(spans).narrowed(to: Extent(sum: 1, minimum: minimum, maximum: maximum))
    guard case .spans(let narrowed) = value else { return nil }
    return narrowed
  }

  private let open = [Span(low: 0, high: 5, count: 1), Span(low: 5, high: .infinity, count: 1)]

  @Test("open-ended buckets get the smallest and the largest value as their edge")
  func edges() {
    #expect(narrowed(open, 2, 9) == [Span(low: 2, high: 5, count: 1), Span(low: 5, high: 9, count: 1)])
    #expect(narrowed(open, 5, 5) == [Span(low: 5, high: 5, count: 1), Span(low: 5, high: 5, count: 1)])
  }

  @Test("a value that cannot be in the bucket changes nothing, so that no bucket ends before it begins")
  func contradictions() {
    #expect(narrowed(open, 7, 4) == open)
    #expect(narrowed(open, 0, .infinity) == open)
    #expect(narrowed(open, nil, nil) == open)
  }
}
