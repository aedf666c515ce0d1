import Analysis
import Core

/// The form of the links between pages.
public enum LinkStyle: Sendable {
  /// Absolute paths, for a server.
  case served
  /// Relative paths of files, for a folder that opens without a server.
  case files
}

/// Makes the links of one page. Links between the pages of an app keep the filters.
struct Links: Sendable {
  /// The form in which addresses are written.
  var style: LinkStyle
  /// The page that holds the links.
  var origin: Page
  /// The filters of the page. Files have none, because they cannot be filtered.
  var filter: ReportQuery
  /// The path prefix of the server, such as `/plumb`; empty at the root of a host.
  var mountPath: String

  /// The titles and icons of apps, by bundle identifier.
  var identities: [String: AppIdentity] = [:]

  /// The links of the page `origin`.
  init(style: LinkStyle, from origin: Page, filter: ReportQuery = .init(), mountPath: String = "") {
    self.mountPath = mountPath
    self.style = style
    self.origin = origin
    self.filter = filter
  }

  /// The address of `page`, with the current filters that apply to it.
  func href(_ page: Page) -> String { href(page, filter) }

  /// The address of `page` with other filters.
  func href(_ page: Page, _ filter: ReportQuery) -> String {
    switch style {
    case .served:
      let query = page.app != nil && page.app == origin.app ? filter.text(page.keptFilters) : ""
      if query.isEmpty { return address(page) }
      return address(page) + (page.path.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + query
    case .files: return root + page.fileName
    }
  }

  /// The address of `page` on the server without filters, for forms, which send filters as fields.
  func address(_ page: Page) -> String { mountPath + page.path }

  /// The address of a file at the root of the site.
  func asset(_ name: String) -> String { root + name }

  private var root: String {
    switch style {
    case .served: mountPath + "/"
    case .files: String(repeating: "../", count: origin.fileName.utf8.count { $0 == UInt8(ascii: "/") })
    }
  }
}

extension Links {
  /// The links of the page `origin` in a context.
  init(_ context: PageContext, from origin: Page) {
    self.init(style: context.linkStyle, from: origin, filter: context.filter, mountPath: context.mountPath)
    identities = context.identities
  }
}

/// Encodes any text as a segment of an address or as a file name, without loss.
enum PathEncoding {
  /// The text with everything but unreserved characters of RFC 3986 as %XX of its UTF-8.
  static func percent(_ text: String) -> String { PercentEncoding.encode(text) }

  /// The text as a file name: like percent-encoding but with `_`, which needs no second encoding in a link. Capital
  /// letters are escaped because file systems may ignore case, a leading dot because `..` is a folder. File systems
  /// allow 255 bytes per name, so a longer one is split into folders, whose names are one byte longer than any last
  /// part can be.
  static func file(_ text: String) -> String {
    let encoded = encode(text, escape: UInt8(ascii: "_"), digits: Array("0123456789abcdef".utf8)) { byte, index in
      isLowercaseOrDigit(byte) || byte == UInt8(ascii: "-") || (byte == UInt8(ascii: ".") && index > 0)
    }
    var rest = encoded.utf8[...]
    var parts: [String] = []
    while rest.count > longestPart {
      parts.append(String(decoding: rest.prefix(longestPart), as: UTF8.self) + "_")
      rest = rest.dropFirst(longestPart)
    }
    let last = String(decoding: rest, as: UTF8.self)
    return (parts + [last.isEmpty ? "_" : last]).joined(separator: "/")
  }

  private static let longestPart = 200

  private static func isLowercaseOrDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func encode(
    _ text: String, escape: UInt8, digits: [UInt8], keeping isKept: (UInt8, Int) -> Bool
  ) -> String {
    var bytes: [UInt8] = []
    for (index, byte) in text.utf8.enumerated() {
      if isKept(byte, index) {
        bytes.append(byte)
      } else {
        bytes += [escape, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
