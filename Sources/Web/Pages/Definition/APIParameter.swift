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
  /// The name by which operations refer to it; nil for one that is written where it is used.
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
        "metric", "A name as the list of metrics has it, or a derived one such as `sessions.crash_free`.", someText,
        example: "launch.first_draw", isInPath: true, component: "MetricName"),
      APIParameter(
        "number", "A diagnostic's `id`.", anyPositive, example: 1, isInPath: true, component: "Number"),
      APIParameter(
        "release", "`4.2.0` with all its builds, or one build as `4.2.0 (1234)`.", someText, example: "4.2.0",
        isInPath: true, component: "ReleasePath"),
      APIParameter(
        "group", "Sixteen hexadecimal digits.", example: "3f2a9c01d4e5b678", isInPath: true, component: "GroupName"),
      APIParameter(
        "silence", "Its number.", .integer(from: 1, to: .max), example: 3, isInPath: true, component: "SilenceNumber"),
      APIParameter(
        "deletion", "The number that the request got.", .integer(format: "int64"), example: 7, isInPath: true),
      APIParameter(
        "organization", "Any text: symbols belong to no app.", .string(matching: "^[A-Za-z0-9_-]+$"), example: "team",
        isInPath: true),
      APIParameter(
        "project", "Any text: symbols belong to no app.", .string(matching: "^[A-Za-z0-9_-]+$"), example: "team",
        isInPath: true),
    ].map { ($0.name, $0) })

  static let base = APIParameter(
    "base",
    "The release to compare with: a version, or a version with its build in parentheses. Or a value of the app's "
      + "attribute, `experiment=control` or `region!=DE`.", someText, example: "4.1.0", isRequired: true,
    component: "Base")
  static let head = APIParameter(
    "head", "The release or value that is compared, written like `base`.", someText, example: "4.2.0",
    isRequired: true, component: "Head")
  static let step = APIParameter(
    "step",
    "How many days each point of a trend stands for. Default: a day while the window has at most 42, else a week, two, "
      + "four or a multiple of four, so that there are at most 42 points.", .integer(from: 1, to: 366), example: 1,
    component: "Step")
  static let table = APIParameter(
    "table",
    "Another table than the main one, as CSV: `distribution` (the buckets of a metric), `parts` (a row for each release, "
      + "class of devices, system, model, label), `courses` (a row for each of those parts and point), `trend` (of exits: "
      + "a row for each point). 409 where an answer has no such table.", .oneOf(DataTable.allCases.map(\.rawValue)),
    example: "parts", component: "Table")
  static let format = APIParameter(
    "format", "How the answer is written. When it is missing, `Accept: text/csv` asks for CSV; JSON otherwise.",
    .oneOf(["json", "csv"]), component: "Format")
  static let kind = APIParameter(
    "kind", "Only diagnostics of this kind.", DiagnosticKind.schema, example: "crash", component: "Kind")
  static let before = APIParameter(
    "before", "Only diagnostics with a smaller `id`: `next` of the page before.", anyPositive, component: "Before")
  static let limit = APIParameter(
    "limit", "The most on one page.", limit(DiagnosticList.most), component: "Limit")
  static let groupLimit = APIParameter(
    "limit", "The most in the list.", limit(GroupList.most), component: "GroupLimit")

  private static func limit(_ most: Int) -> JSONSchema {
    .integer(from: 1, to: Int64(most)).with("default", .count(most))
  }
}

extension FilterPart {
  /// The filter as a parameter of the API.
  public var parameter: APIParameter {
    switch self {
    case .from:
      text("From", "The first day. 28 days before the last one when it is missing.", nil, .date)
    case .to: text("To", "The last day. The newest day with data when it is missing.", nil, .date)
    case .environment:
      text(
        "Environment", "Production when it is missing; where the window has none of it, another one that has data.",
        "production")
    case .release:
      text(
        "ReleaseName",
        "`4.2.0`, or one build as `4.2.0 (1234)`. Empty or `all`: all of them; the verdicts of `judgement` are then on the "
          + "newest release in use if it is empty, on the whole app if it is `all`.", "4.2.0")
    case .os: text("OS", "`iOS 17.4.1`. Empty: all.", "iOS 17.4.1")
    case .device: text("Device", "`iPhone15,2`. Empty: all.", "iPhone15,2")
    case .deviceClass: text("DeviceClass", "`iPhone 12 and older`. Empty: all.", "iPhone 12 and older")
    case .attribute:
      text(
        "Where",
        "A value of the app's attribute, `experiment=new-cart`, or all but one, `region!=DE`. Empty: all. 409 unless the "
          + "name is that of the app's attribute.", "experiment=new-cart",
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
