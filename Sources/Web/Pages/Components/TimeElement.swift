import Core

/// The time at which a page or its numbers were made. A static export ignores it when it looks for changes.
struct TimeElement: Markup {
  var moment: Timestamp

  init(_ moment: Timestamp) { self.moment = moment }

  func write(to html: inout HTMLWriter) {
    html.element("time", .class("made"), Attribute("datetime", moment.iso), text: DateTime.text(moment))
  }
}

/// A time of the data, in UTC. The page's script adds the reader's local time on hover.
struct DateTime: Markup {
  var moment: Timestamp

  init(_ moment: Timestamp) { self.moment = moment }

  func write(to html: inout HTMLWriter) {
    html.element("time", Attribute("datetime", moment.iso), text: Self.text(moment))
  }

  /// `2026-11-20 22:10 UTC`. Without seconds, which no reader compares.
  static func text(_ moment: Timestamp) -> String {
    let iso = moment.iso
    guard iso.utf8.count >= 16 else { return iso }
    return "\(iso.prefix(10)) \(iso.dropFirst(11).prefix(5)) UTC"
  }
}
