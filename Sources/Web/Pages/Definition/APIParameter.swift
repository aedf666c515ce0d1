import Analysis
public import Core
import Storage

/// A parameter of the API, in the path or in the query.
public struct APIParameter: Sendable {
  public let name: String
  public let about: String
  public let schema: JSONSchema
  public let example: JSONOutput?
  public let isInPath: Bool
  public let isRequired: Bool
  /// The name of the component in `openapi.json`; nil to write the parameter inline.
  public let component: String?

  public init(
    _ name: String, _ about: String, _ schema: JSONSchema = .string, example: JSONOutput? = nil, isInPath: Bool = false,
    isRequired: Bool = false, component: String? = nil
  ) {
    self.name = name
    self.about = about
    self.schema = schema
    self.example = example
    self.isInPath = isInPath
    self.isRequired = isRequired || isInPath
    self.component = component
  }

  private static let someText = JSONSchema.string(from: 1)
  private static let anyPositive = JSONSchema.integer(from: 1, to: .max, format: "int64")

  /// The placeholders of paths.
  static let inPath: [String: APIParameter] = Dictionary(
    uniqueKeysWithValues: [
      APIParameter(
        "app", "The bundle identifier.", someText, example: "com.example.shop", isInPath: true, component: "App"),
      APIParameter(
        "metric", "A metric from the list of metrics, or a derived metric such as `sessions.crash_free`.", someText,
        example: "launch.first_draw", isInPath: true, component: "MetricName"),
      APIParameter(
        "number", "A diagnostic's `id`.", anyPositive, example: 1, isInPath: true, component: "Number"),
      APIParameter(
        "release", "A version such as `4.2.0` with all its builds, or one build such as `4.2.0 (1234)`.", someText,
        example: "4.2.0", isInPath: true, component: "ReleasePath"),
      APIParameter(
        "group", "Sixteen hexadecimal digits.", example: "3f2a9c01d4e5b678", isInPath: true, component: "GroupName"),
      APIParameter(
        "silence", "The silence's number.", .integer(from: 1, to: .max), example: 3, isInPath: true,
        component: "SilenceNumber"),
      APIParameter(
        "deletion", "The number of the deletion.", .integer(format: "int64"), example: 7, isInPath: true),
      APIParameter(
        "organization", "Any string; symbols are not tied to an app.", .string(matching: "^[A-Za-z0-9_-]+$"),
        example: "team", isInPath: true),
      APIParameter(
        "project", "Any string; symbols are not tied to an app.", .string(matching: "^[A-Za-z0-9_-]+$"),
        example: "team", isInPath: true),
    ].map { ($0.name, $0) })

  static let base = APIParameter(
    "base",
    "The release to compare with: a version, or a version with its build in parentheses. It may also be a value of an "
      + "attribute, such as `experiment=control` or `region!=DE`.", someText, example: "4.1.0", isRequired: true,
    component: "Base")
  static let rolloutBase = APIParameter(
    "base", "The release to compare with. Default: the newest older release that was adopted.", someText,
    example: "4.1.0", component: "RolloutBase")
  static let head = APIParameter(
    "head", "The release or value to compare, in the same form as `base`.", someText, example: "4.2.0",
    isRequired: true, component: "Head")
  static let split = APIParameter(
    "split",
    "The percentage of users that `head` should have, such as 50, if `base` and `head` are values of an attribute. "
      + "Without it, only equal shares in all device classes and on all days are checked.",
    .number.with("minimum", .integer(1)).with("maximum", .integer(99)), example: 50, component: "Split")
  static let step = APIParameter(
    "step",
    "The number of days per point of a trend. Default: 1 for a window of at most 42 days, else 1, 2, 4 or a multiple "
      + "of 4 weeks, so that there are at most 42 points.", .integer(from: 1, to: 366), example: 1,
    component: "Step")
  static let table = APIParameter(
    "table",
    "A secondary table, as CSV: `distribution` (the buckets of a metric), `parts` (one row per release, device class, "
      + "OS version, model and label), `courses` (one row per part and point), `trend` (of exits, one row per point), "
      + "`causes` (of a metric, comparison, rollout or group: where it became worse, or from where reports come), `lab` (of a metric, one row "
      + "per pair of releases). "
      + "409 if the response has no such table.", .oneOf(AnswerTableName.allCases.map(\.rawValue)),
    example: "parts", component: "Table")
  static let format = APIParameter(
    "format", "The response format. Without it, `Accept: text/csv` selects CSV; the default is JSON.",
    .oneOf(["json", "csv"]), component: "Format")
  static let kind = APIParameter(
    "kind", "Only diagnostics of this kind.", DiagnosticKind.schema, example: "crash", component: "Kind")
  static let before = APIParameter(
    "before", "Only diagnostics with a smaller `id`; pass `next` of the previous page.", anyPositive,
    component: "Before")
  static let limit = APIParameter(
    "limit", "The maximum number of diagnostics per page.", limit(DiagnosticList.most), component: "Limit")
  static let tokens = APIParameter(
    "tokens", "The most tokens of the document, by a count that is rather too high.",
    .integer(from: Int64(FencedMarkdown.leastTokens), to: Int64(FencedMarkdown.mostTokens))
      .with("default", .count(FencedMarkdown.mostTokens)), component: "Tokens")
  static let groupLimit = APIParameter(
    "limit", "The maximum number of groups.", limit(GroupList.most), component: "GroupLimit")

  private static func limit(_ most: Int) -> JSONSchema {
    .integer(from: 1, to: Int64(most)).with("default", .count(most))
  }
}

extension FilterPart {
  /// The filter as a parameter of the API.
  public var parameter: APIParameter {
    switch self {
    case .from:
      text("From", "The first day. Default: a window of 28 days.", nil, .date)
    case .to: text("To", "The last day. Default: the newest day with data.", nil, .date)
    case .environment:
      text(
        "Environment", "Default: `production`, or another environment with data if the window has no production data.",
        "production")
    case .release:
      text(
        "ReleaseName",
        "A version such as `4.2.0`, or one build such as `4.2.0 (1234)`. Empty or `all`: all releases. Then "
          + "`judgement` has the verdicts on the newest release in use (empty) or on the whole app (`all`).", "4.2.0")
    case .os: text("OS", "An OS version such as `iOS 17.4.1`. Empty: all.", "iOS 17.4.1")
    case .device: text("Device", "A model identifier such as `iPhone15,2`. Empty: all.", "iPhone15,2")
    case .deviceClass:
      text("DeviceClass", "A device class such as `iPhone 12 and older`. Empty: all.", "iPhone 12 and older")
    case .attribute:
      text(
        "Where",
        "A value of an attribute such as `experiment=new-cart`, or all values except one, such as `region!=DE`. "
          + "Empty: all. 409 if the app has no attribute of this name.", "experiment=new-cart",
        .string(
          matching: #"^$|^ *[A-Za-z][A-Za-z0-9._-]{0,63} *!?=[\s\S]*[^\u0000-\u0020\u007f-\u009f\u2028\u2029][\s\S]*$"#)
      )
    case .label: text("Label", "One screen, host or view. Empty: all.", "CartView")
    }
  }

  private func text(
    _ component: String, _ about: String, _ example: JSONOutput?, _ schema: JSONSchema = .string
  ) -> APIParameter {
    APIParameter(name, about, schema, example: example, component: component)
  }
}

extension APIParameter {
  /// A parameter that is true or false.
  static func flag(_ name: String, _ about: String) -> APIParameter {
    APIParameter(name, about, .oneOf(["true", "false"]), example: "true")
  }
}
