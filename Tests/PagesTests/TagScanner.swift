/// Reads the tags of a page as a browser's tokenizer does, for pages that quote every attribute:
/// `a class href` for `<a class="x" href="y">`, without values.
enum TagScanner {
  static func tags(_ page: [UInt8]) -> [String] {
    var tags: [String] = []
    var index = 0
    while index < page.count {
      guard page[index] == UInt8(ascii: "<") else {
        index += 1
        continue
      }
      var outside: [UInt8] = []
      var isQuoted = false
      index += 1
      while index < page.count, isQuoted || page[index] != UInt8(ascii: ">") {
        if page[index] == UInt8(ascii: "\"") { isQuoted.toggle() } else if !isQuoted { outside.append(page[index]) }
        index += 1
      }
      tags.append(String(decoding: outside, as: UTF8.self))
    }
    return tags
  }
}
