import Analysis

/// An address of the dashboard: a page with its arguments, or the data of one.
///
/// Each page adds a factory in its own folder, so that links read `.metric(app: "com.example", name: "launch")`.
public struct Page: Hashable, Sendable {
  /// The formats in which a page's numbers are available.
  public enum DataFormat: String, Sendable {
    case json
    case csv
  }

  /// What the address contains: the page, or its data.
  enum Form: Hashable {
    case page
    case data(DataFormat)
    case table(AnswerTableName)
  }

  /// A query parameter that is part of the address, unlike filters.
  struct Parameter: Hashable {
    var name: String
    var value: String
  }

  let definition: any PageAddress.Type
  /// The values of the placeholders of the definition's path; the first is the app.
  let arguments: [String]
  let parameters: [Parameter]
  private(set) var form = Form.page

  init(_ definition: any PageAddress.Type, _ arguments: [String] = [], _ parameters: [(String, String?)] = []) {
    self.definition = definition
    self.arguments = arguments
    self.parameters = parameters.compactMap { name, value in value.map { Parameter(name: name, value: $0) } }
  }

  /// The address of a page's data.
  static func data(of page: Page, _ format: DataFormat) -> Page {
    var data = page
    data.form = .data(format)
    return data
  }

  /// The address of the data of one chart or table of a page, as CSV.
  static func table(of page: Page, _ table: AnswerTableName) -> Page {
    var data = page
    data.form = .table(table)
    return data
  }

  /// The app that the page is about; nil for pages that are not about one app.
  var app: String? { definition.isOfApp ? arguments.first : nil }

  func parameter(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

  public static func == (left: Page, right: Page) -> Bool {
    left.definition == right.definition && left.arguments == right.arguments && left.parameters == right.parameters
      && left.form == right.form
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(definition))
    hasher.combine(arguments)
    hasher.combine(parameters)
    hasher.combine(form)
  }
}

extension Page {
  /// The filters that apply to this page.
  var filters: [FilterPart] { definition.filters }

  /// Whether this page is about the newest release in use unless its filter selects another one.
  var judgesByDefault: Bool { definition.judgesByDefault }

  /// The filters that links to this address include. Pages keep filters that do not apply to them, for the next page;
  /// the API refuses unknown ones.
  var keptFilters: [FilterPart] { form == .page ? FilterPart.allCases : filters }

  /// The formats in which this page's numbers are available.
  var dataFormats: [DataFormat] { definition.dataFormats }

  var breadcrumb: String { definition.breadcrumb(self) }

  /// The pages above this one, the first page of the site first, and the page itself.
  var trail: [Page] {
    guard let parent = definition.parent else { return [self] }
    return Page(parent, Array(arguments.prefix(parent.path.placeholders))).trail + [self]
  }
}

// Addresses and file names.
extension Page {
  /// The path on the server: `/apps/com.example.shop/metrics/launch.first_draw`.
  public var path: String {
    switch form {
    case .page: "/" + definition.path.filled(arguments, PathEncoding.percent) + query(parameters)
    case .data(let format): dataPath(format, [])
    case .table(let table): dataPath(.csv, [Parameter(name: "table", value: table.rawValue)])
    }
  }

  private func dataPath(_ format: DataFormat, _ others: [Parameter]) -> String {
    let endpoint = definition.endpoints.first
    let known = parameters.filter { endpoint?.parameters.contains($0.name) ?? false }
    let format = format == .csv ? [Parameter(name: "format", value: format.rawValue)] : []
    let path = (endpoint?.path ?? definition.path).filled(arguments, PathEncoding.percent)
    return "/api/v1/" + path + query(known + format + others)
  }

  private func query(_ parameters: [Parameter]) -> String {
    guard !parameters.isEmpty else { return "" }
    return "?" + parameters.map { "\($0.name)=\(PathEncoding.percent($0.value))" }.joined(separator: "&")
  }

  /// The file of a static export, relative to its root: `apps/com.example.shop/metrics/launch.first_draw.html`.
  ///
  /// No two pages have the same name, even on file systems that ignore case. A name contains only `a–z 0–9 . - _ /`.
  var fileName: String {
    let values = definition.fileParameters.compactMap { parameter($0).map(PathEncoding.file) }
    let stem = ([definition.file.filled(arguments, PathEncoding.file)] + values).joined(separator: "/")
    switch form {
    case .page: return stem + ".html"
    case .data(let format): return "\(stem).\(format.rawValue)"
    case .table(let table): return "\(stem).\(table.rawValue).csv"
    }
  }
}
