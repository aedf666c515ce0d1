/// The page that lists all guides.
public enum GuidesPage: PageDefinition {
  public static let path: PathPattern = "guides"
  public static let file: PathPattern = "guides/index"

  public static func breadcrumb(_ page: Page) -> String { "Guides" }

  /// Needs no data: the guides are embedded in the program.
  public static func load(_ request: PageRequest) -> Void? { () }

  public static func view(_ model: Void, _ context: PageContext) -> [UInt8] { GuidesView.render(context) }

  public static func linkedPages(_ model: Void, _ request: PageRequest) -> [Page] {
    GuideView.families.map { .guide($0) }
  }
}

/// The page of one guide.
public enum GuidePage: PageDefinition {
  public static let path: PathPattern = "guides/{family}"
  public static let parent: (any PageAddress.Type)? = GuidesPage.self

  public static func breadcrumb(_ page: Page) -> String {
    let family = page.arguments.last ?? ""
    return GuideLibrary.guide(family)?.title ?? family
  }

  /// The name of the family; nil if it has no guide.
  public static func load(_ request: PageRequest) -> String? {
    request.arguments.last.flatMap { GuideLibrary.guide($0)?.family }
  }

  public static func view(_ model: String, _ context: PageContext) -> [UInt8] {
    GuideView.render(model, context) ?? []
  }
}

extension Page {
  static let guides = Page(GuidesPage.self)

  static func guide(_ family: String) -> Page { Page(GuidePage.self, [family]) }
}
