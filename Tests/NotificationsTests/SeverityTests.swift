import Testing

@testable import Storage

@Suite("Severities")
struct SeverityTests {
  @Test("severities are ordered from info to critical")
  func order() {
    #expect(Severity.allCases.shuffled().sorted() == [.info, .warning, .critical])
  }
}
