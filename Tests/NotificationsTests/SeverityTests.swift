import Testing

@testable import Storage

@Suite("Severities")
struct SeverityTests {
  @Test("are ordered from info to critical")
  func order() {
    #expect(Severity.allCases.shuffled().sorted() == [.info, .warning, .critical])
  }
}
