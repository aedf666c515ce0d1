import Testing

@testable import Core
@testable import Web

@Suite("Limits on the decompressed size of a token's uploads")
struct UnpackingQuotaTests {
  private func at(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: seconds * 1000) }

  @Test("the decompressed size of a token's uploads is limited per hour, and the quota recovers steadily")
  func bound() {
    let quota = UploadQuota(perHour: 3600)
    #expect(quota.left(1, at: at(0)) == 3600)
    quota.take(3000, of: 1, at: at(0))
    #expect(quota.left(1, at: at(0)) == 600 && quota.left(2, at: at(0)) == 3600)
    quota.take(5000, of: 1, at: at(100))
    #expect(quota.left(1, at: at(100)) == 0)
    #expect(quota.left(1, at: at(1100)) == 1000)
    #expect(quota.left(1, at: at(0)) == 0, "the clock was set back")
    #expect(quota.left(1, at: Timestamp(milliseconds: .max)) == 3600)
  }
}
