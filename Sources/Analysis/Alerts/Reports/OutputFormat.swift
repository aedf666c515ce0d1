/// The formats in which commands and the release gate print. Each has some of them, which it lists.
public enum OutputFormat: String, Sendable, CaseIterable {
  case text
  case json
  /// JUnit XML, for build servers.
  case junit
  /// Annotations of GitHub Actions.
  case github
  /// A comment for a pull request.
  case markdown
  case csv
  /// The page of a mail.
  case html
  /// The body for an incoming webhook.
  case slack
}
