import Analysis
import Core

/// A table of client programs and what each sent for which release.
struct ClientTable: Markup {
  var clients: [DataQuality.ClientCounts]

  /// The most rows; further ones are summed up in a sentence.
  private static let most = 100

  func write(to html: inout HTMLWriter) {
    guard !clients.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: "By client and release")
      html.write(
        Table(
          "The client is the User-Agent of a request",
          [
            "Client", "Release", .number("Counted"), .number("Rejected"), .number("Refused"), .number("Sent again"),
            .number("Late"),
          ], style: "lines"
        ) { html in
          for client in clients.prefix(Self.most) { html.row { row(client, &$0) } }
        })
      if clients.count > Self.most {
        html.element("p", text: "\(Decimal.grouped(clients.count - Self.most)) more are in the JSON.")
      }
    }
  }

  private func row(_ client: DataQuality.ClientCounts, _ html: inout HTMLWriter) {
    html.rowHead { name(client.client, "not named", &$0) }
    html.element("td", .class("answer")) { name(client.release, Quantity.unknown, &$0) }
    let counts = [
      ("Counted", client.accepted), ("Rejected", client.rejected), ("Refused", client.refused),
      ("Sent again", client.duplicates), ("Late", client.late),
    ]
    for (head, count) in counts { html.countCell(count, head: head) }
  }

  private func name(_ text: String, _ absent: String, _ html: inout HTMLWriter) {
    html.write(Name(text.isEmpty ? absent : text))
  }
}
