import HTML
import Health
import Storage
import Telemetry
import Wording

/// What became of everything an app's clients sent.
public enum DataQualityView {
  /// The page as UTF-8.
  public static func render(_ quality: DataQuality, _ context: PageContext) -> [UInt8] {
    let layout = Layout(
      page: .dataQuality(app: quality.app), title: "Data quality of " + PlainName.text(quality.app), context: context,
      footer: "Payloads up to number \(Decimal.grouped(Int(quality.digestedThrough))).")
    return layout.render { html in
      html.write(DataQualityHeading(quality: quality, links: layout.links))
      html.write(ReceivedTable(quality: quality))
      for section in QualitySection.all { html.write(CountTable(section: section, quality: quality)) }
      html.write(ClientTable(clients: quality.clients))
    }
  }
}
