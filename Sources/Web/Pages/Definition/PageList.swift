/// The list of all pages. The navigation of an app has the same order.
public enum PageList {
  public static let all: [any PageDefinition.Type] = [
    OverviewPage.self,
    WallPage.self,
    AppWallPage.self,
    AppPage.self,
    SessionsPage.self,
    ExitsPage.self,
    GroupsPage.self,
    GroupPage.self,
    DiagnosticsPage.self,
    ComparePage.self,
    BudgetsPage.self,
    MetricsPage.self,
    AppAlertsPage.self,
    ChecklistPage.self,
    DataQualityPage.self,
    SetupPage.self,
    MetricPage.self,
    ReleasePage.self,
    RolloutPage.self,
    AlertsPage.self,
    ServerPage.self,
    GuidesPage.self,
    GuidePage.self,
  ]

  /// All data routes below `/api/v1`.
  public static let endpoints: [DataEndpoint] = all.flatMap { $0.endpoints }
}
