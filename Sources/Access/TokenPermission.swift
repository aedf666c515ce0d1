public import Storage

/// What a request asks to do with a token.
public enum TokenAction: Sendable {
  case read
  case upload
  case delete
}

extension AccessToken {
  /// Whether the token permits an action. Every route asks here.
  public func permits(_ action: TokenAction) -> Bool {
    switch action {
    case .read: right == .read
    case .upload: right == .upload
    case .delete: right == .delete
    }
  }
}
