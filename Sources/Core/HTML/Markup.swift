/// A component of a page, which writes itself as HTML or SVG.
public protocol Markup {
  /// Appends the component to `html`.
  func write(to html: inout HTMLWriter)
}
