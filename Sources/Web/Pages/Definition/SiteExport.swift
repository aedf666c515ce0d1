import Analysis
import Core

/// Writes pages and their data as files that open without a server.
///
/// It starts with pages that have no arguments and follows the links of each page.
public struct SiteExport {
  private let source: any PageSource
  private let context: PageContext
  private let write: ([UInt8], String) throws -> Void

  /// `write`: receives the bytes of a file and its path relative to the root of the site.
  public init(_ source: any PageSource, _ context: PageContext, write: @escaping ([UInt8], String) throws -> Void) {
    self.source = source
    self.context = context
    self.write = write
  }

  /// Writes the pages that are not about one app. Pages of an app that they link to are written with that app.
  public func writeShared() throws {
    var context = context
    context.identities = .init(try source.apps())
    try write(all: PageList.all.filter { $0.path.placeholders == 0 }.map { Page($0) }, context) { $0.app == nil }
  }

  /// Writes the pages of one app.
  public func write(app: String, budgetError: String?, openIncidents: Int = 0) throws {
    var context = context
    context.openIncidents = openIncidents
    context.budgetError = budgetError
    if let own = try source.app(app) {
      context.identities = .init([own])
      if let icon = try source.icon(of: own) {
        try write(icon, AppTitleAndIcon.iconPath.filled([app], PathEncoding.file))
      }
    }
    let pages = PageList.all.filter { $0.isOfApp && $0.path.placeholders == 1 }.map { Page($0, [app]) }
    try write(all: pages, context)
  }

  private func write(
    all pages: [Page], _ context: PageContext, where isFollowed: (Page) -> Bool = { _ in true }
  ) throws {
    var found = Set(pages)
    var waiting = pages
    while let page = waiting.popLast() {
      guard let definition = page.definition as? any PageDefinition.Type else { continue }
      for linked in try write(page, definition, context) where isFollowed(linked) && found.insert(linked).inserted {
        waiting.append(linked)
      }
    }
  }

  /// Writes a page and its data. Returns the pages it links to.
  private func write<Definition: PageDefinition>(
    _ page: Page, _ definition: Definition.Type, _ context: PageContext
  ) throws -> [Page] {
    let request = PageRequest(source, arguments: page.arguments, isExport: true) { page.parameter($0) }
    guard let (model, context) = try definition.answer(request, context) else { return [] }
    try write(definition.view(model, context), page.fileName)
    if let data = definition.data(model) { try write(data, of: page) }
    return try definition.linkedPages(model, request)
  }

  private func write(_ data: any APIObject, of page: Page) throws {
    try write(data.json(), Page.data(of: page, .json).fileName)
    guard let data = data as? any TableConvertible else { return }
    try write(data.csv(), Page.data(of: page, .csv).fileName)
    for name in AnswerTableName.allCases {
      if let table = data.table(name) { try write(table.csv(), Page.table(of: page, name).fileName) }
    }
  }
}
