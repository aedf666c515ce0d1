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
        Table("The client is the User-Agent of a request", of: clients.prefix(Self.most), style: "lines") {
          Column.head("Client") { $1.write(Name($0.client.isEmpty ? "not named" : $0.client)) }
          Column("Release", .class("answer")) { $1.write(Name($0.release.isEmpty ? Quantity.unknown : $0.release)) }
            .named(nil)
          Column.count("Counted", \.accepted)
          Column.count("Rejected", \.rejected)
          Column.count("Refused", \.refused)
          Column.count("Sent again", \.duplicates)
          Column.count("Late", \.late)
        })
      if clients.count > Self.most {
        html.element("p", text: "\(Decimal.grouped(clients.count - Self.most)) more are in the JSON.")
      }
    }
  }
}
