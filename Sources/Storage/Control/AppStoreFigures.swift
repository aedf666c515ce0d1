public import Core

/// The store of App Store Connect's figures.
public protocol AppStoreFigures: Sendable {
  /// The figures of an app, ordered by key; versions are in Apple's order.
  func appStoreFigures(of app: AppID) throws -> [AppStoreFigure]

  /// Stores figures and replaces those with the same keys. Beyond `AppStoreFigureLimits.most` per app, the figures
  /// stored first are deleted.
  func keep(_ figures: [AppStoreFigure], of app: AppID, at now: Timestamp) throws
}

public enum AppStoreFigureLimits {
  /// The maximum number of figures per app.
  public static let most = 50_000
}
