import Analysis
import Core
import Storage

/// The page about the server's own health.
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
    guard let lag else { return "records that wait for the digest: unknown" }
    return lag == 0 ? "every record is counted" : "\(Decimal.grouped(Int(clamping: lag))) records wait for the digest"
  }

  private static func disk(_ status: ServerStatus, _ html: inout HTMLWriter) {
    html.element("section") { html in
      html.element("h2", text: "Disk")
      if let disk = status.disk {
        let days = disk.daysLeft.map {
          "at last week’s growth the floor is reached in \(Decimal.grouped(Int($0))) days"
        }
        html.element(
          "p",
          text: "\(ByteSize.text(disk.free)) of \(ByteSize.text(disk.total)) are free; less is written below "
            + "\(ByteSize.text(disk.floor)); \(days ?? "growth is not known yet, or there is none").")
      } else {
        html.element("p", text: "The free space is not known.")
      }
      guard !status.kinds.isEmpty else {
        return html.element("p", text: "What takes room is measured a minute after the start, then once an hour.")
      }
      html.write(
        Table(
          "What takes room", ["Kind", .number("Size"), .number("Rows"), "Oldest day", "Kept"]
        ) { html in
          for kind in status.kinds {
            html.row { html in
              html.rowHead(text: kind.name)
              html.element("td", .class("n"), text: ByteSize.text(kind.bytes))
              html.element("td", .class("n"), text: kind.rows.map { Decimal.grouped($0) } ?? Quantity.unknown)
              html.element("td", text: kind.oldest?.iso ?? Quantity.unknown)
              html.element("td", text: kind.setting ?? Quantity.unknown)
            }
          }
        })
    }
  }

  private static func payloads(_ status: ServerStatus, _ links: Links, _ html: inout HTMLWriter) {
    guard !status.apps.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: "Payloads")
      html.write(
        Table("The last payload of each app", ["App", "Received"]) { html in
          for entry in status.apps {
            html.row { html in
              html.rowHead { html in
                html.element("a", .href(links.href(.app(entry.app)))) { $0.write(Name(entry.app)) }
              }
              html.element("td") { html in
                if let time = entry.lastPayload { html.write(DateTime(time)) } else { html.text("never") }
              }
            }
          }
        })
    }
  }

  private static func nodes(_ status: ServerStatus, _ html: inout HTMLWriter) {
    guard !status.nodes.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: "Ingest nodes")
      html.write(
        Table("The nodes whose records are counted here", ["Node", .number("Records"), "Heard of"]) { html in
          for node in status.nodes {
            html.row { html in
              html.rowHead { $0.element("bdi", text: node.name) }
              html.element("td", .class("n"), text: Decimal.grouped(Int(clamping: node.position)))
              html.element("td") { $0.write(DateTime(node.heard)) }
            }
          }
        })
    }
  }

  private static func channels(_ status: ServerStatus, _ html: inout HTMLWriter) {
    html.element("section") { html in
      html.element("h2", text: "Alert channels")
      guard !status.failedChannels.isEmpty else { return html.element("p", text: "No message waits for a channel.") }
      html.write(
        Table("Channels that did not take a message", ["Channel", "Failure"]) { html in
          for channel in status.failedChannels {
            html.row { html in
              html.rowHead { $0.element("bdi", text: channel.name) }
              html.element("td") { $0.element("bdi", text: channel.failure) }
            }
          }
        })
    }
  }

  private static func rejections(_ status: ServerStatus, _ links: Links, _ html: inout HTMLWriter) {
    html.element("section") { html in
      html.element("h2", text: "Refused in seven days")
      guard !status.rejected.isEmpty else { return html.element("p", text: "Nothing was refused.") }
      html.write(
        Table("Payloads and parts of them by reason", ["App", "Reason", .number("Count")]) { html in
          for entry in status.rejected {
            html.row { html in
              html.rowHead { html in
                html.element("a", .href(links.href(.app(entry.app)))) { $0.write(Name(entry.app)) }
              }
              html.element("td") { $0.element("bdi", text: entry.reason) }
              html.element("td", .class("n"), text: Decimal.grouped(entry.count))
            }
          }
        })
    }
  }
}
