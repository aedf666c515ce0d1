/// To which addresses one request may connect.
enum ReachRule: Sendable, Equatable {
  /// Only outside addresses, encrypted.
  case outside
  /// Outside and inside addresses, encrypted.
  case outsideAndInside
  /// Only inside addresses: what is sent is not encrypted.
  case inside
  /// Wherever the operator's own relay or proxy is.
  case anywhere

  /// Why there must be no connection to `address`; nil when there may be one.
  func refusal(_ address: IPAddress) -> String? {
    switch (self, AddressReach(address)) {
    case (.anywhere, _), (.outside, .outside), (.outsideAndInside, .outside), (.outsideAndInside, .inside),
      (.inside, .inside):
      nil
    case (.outside, .inside):
      "\(address) is a private address; `allow-private: true` in the channel's settings allows it"
    case (.inside, .outside): "\(address) is not a private address: without encryption nothing is sent there"
    case (_, .never): "\(address) is link-local, reserved or serves a machine's metadata: nothing is ever sent there"
    }
  }
}
