/// A piece of a page: a value that knows how to write itself.
public protocol Markup {
  /// Appends this piece to `html`.
  func write(to html: inout HTMLWriter)
}
