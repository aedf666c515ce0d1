import Analysis
import Core
import Ingest
import Storage

/// A request for a page or its data.
public struct PageRequest {
  let source: any PageSource
  /// The values of the placeholders in the page's path.
  let arguments: [String]
  /// Whether the page is for a static export, which must contain every page that another one links to.
  let isExport: Bool
  private let parameters: (String) -> String?

  public init(
    _ source: any PageSource, arguments: [String], isExport: Bool = false,
    parameters: @escaping (String) -> String? = { _ in nil }
  ) {
    self.source = source
    self.arguments = arguments
    self.isExport = isExport
    self.parameters = parameters
  }

  /// The value of a query parameter.
  func parameter(_ name: String) -> String? { parameters(name) }

  /// The value of a query parameter that must be an integer from 1 to `most`.
  func number(_ name: String, atMost most: Int64) throws(InvalidQuery) -> Int64? {
    guard let text = parameter(name) else { return nil }
    guard let number = Int64(decimal: text), (1...most).contains(number) else {
      throw InvalidQuery(
        detail: "\(name): expected a whole number from 1 to \(most), found \"\(text)\"", parameter: name)
    }
    return number
  }

  /// The parameter `focus`: the id of a function in a flame graph; nil without it.
  func focus() throws(InvalidQuery) -> String? {
    guard let text = parameter("focus") else { return nil }
    guard Fingerprint.hash(named: text) != nil else {
      throw InvalidQuery(
        detail: "focus: expected the id of a function, sixteen hexadecimal digits, found \"\(text)\"",
        parameter: "focus")
    }
    return text
  }

  /// The parameter `tokens`: the budget of a document.
  func tokens() throws(InvalidQuery) -> Int {
    let (least, most) = (FencedMarkdown.leastTokens, FencedMarkdown.mostTokens)
    guard let number = try number("tokens", atMost: Int64(most)) else { return most }
    guard number >= least else {
      throw InvalidQuery(
        detail: "tokens: expected a whole number from \(least) to \(most), found \(number)", parameter: "tokens")
    }
    return Int(number)
  }

  /// The parameter `kind`; nil without it.
  func diagnosticKind() throws(InvalidQuery) -> DiagnosticKind? {
    guard let name = parameter("kind") else { return nil }
    guard let kind = DiagnosticKind(name: name) else {
      let names = DiagnosticKind.allCases.map(\.name).joined(separator: ", ")
      throw InvalidQuery(detail: "kind: expected one of \(names), found \"\(name)\"", parameter: "kind")
    }
    return kind
  }
}
