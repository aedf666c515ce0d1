import Analysis
import Core

/// The threads of a sample. The crashed thread is first and open.
struct ThreadSection: Markup {
  var threads: [ThreadText]
  /// A note that the sample ignores the filters; empty without filters.
  var ofWhole = ""

  func write(to html: inout HTMLWriter) {
    guard !threads.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: "Threads")
      html.element("p", .class("meta"), text: "Of the newest sample. The app’s own code stands out." + ofWhole)
      for (index, thread) in threads.enumerated() {
        html.element("details", .class("thread"), index == 0 ? .flag("open") : Attribute("open", nil)) { html in
          html.element("summary", text: Self.title(thread))
          html.element("ol", .class("frames")) { html in
            for line in thread.lines { frame(line, &html) }
          }
          if thread.omitted > 0 {
            html.element("p", .class("meta"), text: "\(Decimal.grouped(thread.omitted)) more frames.")
          }
        }
      }
      html.element("details") { html in
        html.element("summary", text: "Copy as text")
        html.element("pre", .class("copy"), text: Self.text(threads))
      }
    }
  }

  private func frame(_ line: ThreadText.Line, _ html: inout HTMLWriter) {
    html.element("li", line.isOwn ? .class("own") : Attribute("class", nil)) { html in
      html.element("code") { $0.write(Name(line.name)) }
      html.text(" ")
      html.element("small") { html in
        html.write(Name(line.binary))
        if !line.source.isEmpty {
          html.text(" ")
          html.write(Name(line.source))
        }
      }
    }
  }

  private static func title(_ thread: ThreadText) -> String {
    thread.isAttributed ? "Thread \(thread.number), which crashed" : "Thread \(thread.number)"
  }

  /// The threads as plain text, to paste into an issue.
  static func text(_ threads: [ThreadText]) -> String {
    threads.map { thread in
      let lines = thread.lines.enumerated().map { index, line in
        "\(index)  \(PlainName.text(line.binary))  \(PlainName.text(line.name))"
          + (line.source.isEmpty ? "" : "  (\(PlainName.text(line.source)))")
      }
      return ([title(thread) + ":"] + lines).joined(separator: "\n")
    }.joined(separator: "\n\n")
  }
}
