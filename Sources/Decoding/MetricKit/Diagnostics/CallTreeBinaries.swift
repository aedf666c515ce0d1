internal import JSON
internal import Telemetry

/// The binaries that frames name, each once. A frame may leave out the name or the id: frames with an id share what any of
/// them says about the name.
struct CallTreeBinaries {
  private(set) var all: [CallTree.Binary] = []
  private var byID: [String: Int] = [:]
  private var byName: [String: Int] = [:]

  /// The place of a binary; −1 for one without name and id.
  mutating func place(uuid: JSONText?, name: JSONText?) -> Int {
    place(id: uuid.flatMap(Self.id) ?? "", name: name?.kept ?? "")
  }

  /// The same with a name that was worked out, and what the report says of where it came from.
  mutating func place(uuid: JSONText?, named name: String, _ origin: CallTree.Binary.Origin) -> Int {
    let place = place(id: uuid.flatMap(Self.id) ?? "", name: name)
    if place >= 0 { all[place].origin.merge(origin) }
    return place
  }

  private mutating func place(id: String, name: String) -> Int {
    if id.isEmpty, name.isEmpty { return -1 }
    if let known = id.isEmpty ? byName[name] : byID[id] {
      if all[known].name.isEmpty { all[known].name = name }
      return known
    }
    all.append(CallTree.Binary(name: name, uuid: id))
    if id.isEmpty { byName[name] = all.count - 1 } else { byID[id] = all.count - 1 }
    return all.count - 1
  }

  /// 32 upper-case hexadecimal digits from `cdb53ddb-2337-…`; nil for anything else.
  private static func id(_ text: JSONText) -> String? {
    guard text.count <= 64 else { return nil }
    var digits: [UInt8] = []
    digits.reserveCapacity(32)
    for byte in text.bytes where byte != UInt8(ascii: "-") {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"): digits.append(byte)
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digits.append(byte - 32)
      default: return nil
      }
    }
    return digits.count == 32 ? String(decoding: digits, as: UTF8.self) : nil
  }
}
