import Analysis
import Core
import Storage

/// The page about the server's health.
enum ServerView {
  static func render(_ model: ServerModel, _ context: PageContext) -> [UInt8] {
    let status = model.status
    let layout = Layout(page: .server, title: "Server", context: context, asOf: model.asOf)
    return layout.render { html in
      html.element("h1", text: "Server")
      html.element("p", .class("summary"), text: summary(status))
      for fault in status.faults { html.write(Banner(text: fault, isWarning: true)) }
      html.element("ul", .class("slice")) { html in
        html.element("li", text: "version \(status.version)")
        html.element("li", text: lag(status.digestLag))
        html.element("li") {
          $0.element("a", .href(layout.links.href(.data(of: .server, .json))), text: "These numbers as JSON")
        }
      }
      disk(status, &html)
      payloads(status, layout.links, &html)
      nodes(status, &html)
      channels(status, &html)
      rejections(status, layout.links, &html)
    }
  }

  private static func summary(_ status: ServerStatus) -> String {
    guard status.faults.isEmpty else { return "The server is not ready." }
    return status.disk?.warning.map { "The server is ready. \($0)." } ?? "The server is ready."
  }

  private static func lag(_ lag: Int64?) -> String {
    guard let lag else { return "records not digested: unknown" }
    return lag == 0 ? "all records digested" : "\(Decimal.grouped(Int(clamping: lag))) records not digested yet"
  }

  private static func disk(_ status: ServerStatus, _ html: inout HTMLWriter) {
    html.element("section") { html in
      html.element("h2", text: "Disk")
      if let disk = status.disk {
        let days = disk.daysLeft.map {
          "At last week’s growth, that level is reached in \(Decimal.grouped(Int($0))) days."
        }
        html.element(
          "p",
          text: "\(ByteSize.text(disk.free)) of \(ByteSize.text(disk.total)) is free. Below "
            + "\(ByteSize.text(disk.floor)), symbol uploads and diagnostic bodies are not stored. "
            + (days ?? "Growth is unknown or zero."))
      } else {
        html.element("p", text: "The free space is unknown.")
      }
      guard !status.kinds.isEmpty else {
        return html.element("p", text: "Disk use is measured a minute after the start, then once an hour.")
      }
      html.write(
        Table("Disk use by kind", of: status.kinds) {
          Column.head("Kind", text: \.name)
          Column.number("Size") { ByteSize.text($0.bytes) }
          Column.count("Rows", \.rows)
          Column("Oldest day") { $0.oldest?.iso ?? Quantity.unknown }
          Column("Kept") { $0.setting ?? Quantity.unknown }
        })
    }
  }

  private static func payloads(_ status: ServerStatus, _ links: Links, _ html: inout HTMLWriter) {
    guard !status.apps.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: "Payloads")
      html.write(
        Table("The last payload of each app", of: status.apps) {
          Column.head("App") { app($0.app, links, &$1) }
          Column("Received") { entry, html in
            if let time = entry.lastPayload { html.write(DateTime(time)) } else { html.text("never") }
          }
        })
    }
  }

  private static func nodes(_ status: ServerStatus, _ html: inout HTMLWriter) {
    guard !status.nodes.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: "Ingest nodes")
      html.write(
        Table("The nodes whose records are counted here", of: status.nodes) {
          Column.head("Node") { $1.element("bdi", text: $0.name) }
          Column.count("Records") { Int(clamping: $0.position) }
          Column("Last contact") { $1.write(DateTime($0.heard)) }
        })
    }
  }

  private static func channels(_ status: ServerStatus, _ html: inout HTMLWriter) {
    html.element("section") { html in
      html.element("h2", text: "Alert channels")
      guard !status.failedChannels.isEmpty else { return html.element("p", text: "No channel has failed.") }
      html.write(
        Table("Channels that failed to deliver their last message", of: status.failedChannels) {
          Column.head("Channel") { $1.element("bdi", text: $0.name) }
          Column("Failure") { $1.element("bdi", text: $0.failure) }
        })
    }
  }

  private static func rejections(_ status: ServerStatus, _ links: Links, _ html: inout HTMLWriter) {
    html.element("section") { html in
      html.element("h2", text: "Refused in the last seven days")
      guard !status.rejected.isEmpty else { return html.element("p", text: "Nothing was refused.") }
      html.write(
        Table("Payloads and parts of payloads, by reason", of: status.rejected) {
          Column.head("App") { app($0.app, links, &$1) }
          Column("Reason") { $1.element("bdi", text: $0.reason) }
          Column.count("Count", \.count)
        })
    }
  }

  private static func app(_ app: String, _ links: Links, _ html: inout HTMLWriter) {
    html.element("a", .href(links.href(.app(app)))) { $0.write(Name(app)) }
  }
}
