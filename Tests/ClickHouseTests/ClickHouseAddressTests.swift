import Testing

@testable import ClickHouseStore

@Suite("The address of a ClickHouse server")
struct ClickHouseAddressTests {
  @Test(
    "the address of a ClickHouse server is read with the usual port",
    arguments: [
      ("clickhouse://ch1/plumb", "http://ch1:8123/", "clickhouse://ch1:8123/plumb"),
      ("clickhouse://ch-1.example.com:9000/p_2", "http://ch-1.example.com:9000/", nil),
      ("clickhouse+https://ch1/plumb", "https://ch1:8443/", "clickhouse+https://ch1:8443/plumb"),
      ("clickhouse://[::1]:8123/plumb", "http://[::1]:8123/", nil),
      ("clickhouse+https://writer@ch1:8443/plumb", "https://ch1:8443/", nil),
    ])
  func valid(text: String, url: String, description: String?) throws {
    let address = try ClickHouseAddress(text)
    #expect(address.url == url)
    #expect(address.description == description ?? text)
    #expect(try ClickHouseAddress(address.description) == address)
  }

  @Test(
    "an invalid address of a ClickHouse server is refused with the reason",
    arguments: [
      ("http://ch1/plumb", "must begin with clickhouse://"), ("clickhouse://ch1", "name of a database"),
      ("clickhouse://ch1/", "name of a database"), ("clickhouse://ch1/a-b", "name of a database"),
      ("clickhouse://ch1/a/b", "name of a database"), ("clickhouse://user:secret@ch1/plumb", "password"),
      ("clickhouse://@ch1/plumb", "user name"), ("clickhouse://ch1:0/plumb", "is not HOST or"),
      ("clickhouse://ch1:65536/plumb", "is not HOST or"), ("clickhouse://ch1:/plumb", "is not HOST or"),
      ("clickhouse:///plumb", "is not HOST or"), ("clickhouse://a b/plumb", "is not HOST or"),
      ("clickhouse://[::1/plumb", "is not HOST or"), ("clickhouse://a?b/plumb", "is not HOST or"),
      ("clickhouse://::1/plumb", "is not HOST or"),
    ])
  func invalid(text: String, reason: String) {
    let error = #expect(throws: ClickHouseAddress.Invalid.self) { try ClickHouseAddress(text) }
    #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    #expect(error?.description.contains("secret") == false)
  }
}
