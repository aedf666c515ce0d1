import Notifications
import Testing

@Suite("Severities")
struct SeverityTests {
  @Test("are ordered from info to critical")
  func order() {
    #expect(AlertMessage.Severity.allCases.shuffled().sorted() == [.info, .warning, .critical])
  }
}
