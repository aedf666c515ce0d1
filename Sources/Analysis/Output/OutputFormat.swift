/// The output formats of commands and the release gate. Each lists the formats that it supports.
public enum OutputFormat: String, Sendable, CaseIterable {
  case text
  case json
  /// JUnit XML, for build servers.
  case junit
  /// GitHub Actions annotations.
  case github
  /// Markdown for a pull-request comment.
  case markdown
  case csv
  /// The HTML body of a mail.
  case html
  /// The JSON body of a Slack incoming webhook.
  case slack
}
