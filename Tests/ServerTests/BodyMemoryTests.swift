import Testing

@testable import Web

@Suite("Memory for bodies without a key")
struct BodyMemoryTests {
  @Test("an address that uses memory keeps its account, however many others come and go")
  func addresses() throws {
    let memory = BodyMemory()
    let busy = try #require(ClientAddress("192.0.2.1"))
    let account = memory.account(of: busy)
    #expect(account.take(1_000))
    for number in 0..<5_000 {
      #expect(memory.account(of: ClientAddress("10.0.\(number / 250).\(number % 250)")).used == 0)
    }
    #expect(memory.account(of: busy) === account)
    #expect(memory.account(of: busy).used == 1_000)
  }
}
