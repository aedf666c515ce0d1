public import Core

/// The numbers of a page.
public enum PageData {
  case object(any APIObject)
  /// A document as stored.
  case bytes([UInt8])

  public func json() -> [UInt8] {
    switch self {
    case .object(let object): object.json()
    case .bytes(let bytes): bytes
    }
  }
}
