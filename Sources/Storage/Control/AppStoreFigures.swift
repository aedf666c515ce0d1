public import Core

/// The store of App Store Connect's figures and notes.
public protocol AppStoreFigures: Sendable {
  /// The figures of an app, ordered by key; versions are in Apple's order.
  func appStoreFigures(of app: AppID) throws -> [AppStoreFigure]

  /// The goals, insights and signatures of an app, without its figures.
  func appStoreNotes(of app: AppID) throws -> AppStorePerformance

  /// Stores an answer in one transaction. Figures and goals replace those with the same keys. Insights and signatures
  /// replace all of the categories and kinds that the answer covers. Beyond the limits of `AppStoreFigureLimits` per
  /// app, what was stored first is deleted.
  func keep(_ answer: AppStorePerformance, of app: AppID, at now: Timestamp) throws
}

extension AppStoreFigures {
  /// Stores figures alone.
  public func keep(_ figures: [AppStoreFigure], of app: AppID, at now: Timestamp) throws {
    var answer = AppStorePerformance()
    answer.figures = figures
    try keep(answer, of: app, at: now)
  }
}

public enum AppStoreFigureLimits {
  /// The maximum number of figures per app.
  public static let most = 50_000
  /// The maximum number of goals, insights and signatures per app.
  public static let mostNotes = 10_000
}
