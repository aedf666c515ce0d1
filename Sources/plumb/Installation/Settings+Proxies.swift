import ArgumentParser
import HTTP

extension Settings {
  /// Proxies whose word about a client's address counts: addresses and ranges such as `10.0.0.0/8`, with commas between.
  func trustedProxies(flag: String?) throws -> TrustedProxies {
    let texts = (value("trusted-proxies", flag: flag) ?? "").split { $0 == "," || $0.isWhitespace }.map(String.init)
    return TrustedProxies(
      try texts.map { text in
        guard let range = ClientAddress.Range(text) else {
          throw ValidationError("trusted-proxies: expected an address or a range such as 10.0.0.0/8, found \(text).")
        }
        return range
      })
  }
}
