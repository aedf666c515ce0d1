public import Core

/// Stores App Store Connect's numbers of apps.
public protocol AppStoreFigures: Sendable {
  /// The numbers of an app, in the order of their keys but for versions, which stand as Apple lists them.
  func appStoreFigures(of app: AppID) throws -> [AppStoreFigure]

  /// Stores numbers in place of those with the same keys. Beyond `AppStoreFigureLimits.most` of an app those that were
  /// stored first are deleted.
  func keep(_ figures: [AppStoreFigure], of app: AppID, at now: Timestamp) throws
}

public enum AppStoreFigureLimits {
  /// The most numbers that are kept of an app.
  public static let most = 50_000
}
