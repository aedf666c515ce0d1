import Testing

@testable import Core
@testable import SQLiteStore
@testable import Storage

/// What a page of a ledger is expected to ask for.
struct ExpectedRowsTests {
  private static let today = CalendarDay(number: 20_000)

  private static func query(
    _ slice: Slice = Slice(), app: AppID = 1, from: Int, to: Int = 0, _ metrics: [String]? = nil,
    _ bins: RowQuery.Bins = .days
  ) -> RowQuery {
    RowQuery(app: app, slice: slice, window: Window(from: today - from, to: today - to), metrics: metrics, bins: bins)
  }

  @Test("queries of last time get the app, days and filters of this time")
  func adapted() throws {
    let expected = ExpectedRows()
    let first = Self.query(from: 7, nil, .window)
    let purpose = ReadPurpose(kinds: ["app"], from: Self.today - 27, names: ["device": "iPhone15,2"])
    let asked = [
      first, Self.query(Slice(device: "iPhone15,2"), from: 27), Self.query(Slice(release: "4.2.0"), from: 12),
    ]
    expected.note(asked, after: first, for: purpose)
    let next = ReadPurpose(kinds: ["app"], from: Self.today - 60, names: ["device": "iPad14,3"])
    let found = expected.queries(after: Self.query(app: 2, from: 10, to: 3, nil, .window), for: next)
    #expect(found.count == 3 && found.allSatisfy { $0.app == 2 })
    #expect(found[0].window == Window(from: Self.today - 10, to: Self.today - 3))
    #expect(found[1].slice.device == "iPad14,3")
    // With the days that were asked for, and with those of three days ago.
    #expect(found[1].window == Window(from: Self.today - 60, to: Self.today))
    #expect(found[2].window == Window(from: Self.today - 15, to: Self.today) && found[2].slice.release == "4.2.0")
    #expect(expected.queries(after: first, for: ReadPurpose(kinds: ["other"])).isEmpty)
    // Days long ago: those that moved with the page, and those that may not have.
    let old = expected.queries(
      after: Self.query(from: 107, to: 100, nil, .window), for: ReadPurpose(kinds: ["none", "app"], names: [:]))
    #expect(old.map(\.window.to) == [100, 100, 0, 100, 0].map { Self.today - $0 })
  }

  @Test("if another release is asked for, all that was expected of a release is expected of it")
  func otherRelease() throws {
    let expected = ExpectedRows()
    let (first, purpose) = (Self.query(from: 7), ReadPurpose(kinds: ["app"]))
    let old = Slice(release: "4.2.0")
    let asked = [
      first, Self.query(old, from: 12, ["sessions"]), Self.query(old, from: 12, ["memory.peak", "users"]),
      Self.query(from: 12, ["hang.rate"]),
    ]
    expected.note(asked, after: first, for: purpose)
    let found = expected.queries(
      instead: Self.query(Slice(release: "4.3.0"), from: 5, ["sessions"]), after: first, for: purpose)
    #expect(found.map(\.slice.release) == ["4.3.0", "4.3.0"])
    #expect(found.map(\.metrics) == [["sessions"], ["memory.peak", "users"]])
    #expect(found.allSatisfy { $0.window.from == Self.today - 5 })
  }

  @Test("what was learned longest ago is forgotten beyond 100 kinds or 100,000 texts, and a query that others cover")
  func bounded() throws {
    let expected = ExpectedRows()
    let first = Self.query(from: 7)
    func knows(_ kind: String) -> Bool {
      !expected.queries(after: first, for: ReadPurpose(kinds: [kind])).isEmpty
    }
    for number in 0..<101 { expected.note([first], after: first, for: ReadPurpose(kinds: ["\(number)"])) }
    #expect(!knows("0") && knows("1") && knows("100"))
    let many = (0..<99_500).map { "metric.\($0)" }
    expected.note([Self.query(from: 3, many)], after: first, for: ReadPurpose(kinds: ["large"]))
    #expect(knows("large") && knows("100") && !knows("40"))
    expected.note(
      [Self.query(from: 3, ["a"]), Self.query(from: 9, ["a", "b"]), Self.query(from: 2, ["b"])], after: first,
      for: ReadPurpose(kinds: ["covered"]))
    #expect(expected.queries(after: first, for: ReadPurpose(kinds: ["covered"])).map(\.window.days) == [10])
  }
}
