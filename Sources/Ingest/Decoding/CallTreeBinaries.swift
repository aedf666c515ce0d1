internal import Core

/// The distinct binaries of frames. A frame may omit the name or UUID. If one frame has a UUID and a name, all frames
/// with that UUID get the name.
struct CallTreeBinaries: ~Copyable {
  private(set) var all: [CallTree.Binary] = []
  private var byID: [String: Int] = [:]
  private var byName: [String: Int] = [:]
  /// The binaries of texts, by the UUID or else the name.
  private var recent = TextTable<(index: Int, hasUUID: Bool, name: BorrowedJSONString?)>()

  /// The index of a binary; −1 without name and UUID. Adds the binary if it is new.
  mutating func index(uuid: BorrowedJSONString?, name: BorrowedJSONString?) -> Int {
    guard let text = uuid ?? name else { return -1 }
    let (slot, known) = recent.find(text)
    if let known, known.hasUUID == (uuid != nil), known.name == name { return known.index }
    let index = index(id: uuid.flatMap { CallTree.Binary.uuid($0.bytes) } ?? "", name: name?.kept ?? "")
    recent.set(slot, text, (index, uuid != nil, name))
    return index
  }

  /// Removes the texts seen so far. Call it when their document ends.
  mutating func endDocument() { recent = TextTable() }

  /// The index of a binary with a name from its path and the origin that the report states.
  mutating func index(uuid: BorrowedJSONString?, named name: String, _ origin: CallTree.Binary.Origin) -> Int {
    let index = index(id: uuid.flatMap { CallTree.Binary.uuid($0.bytes) } ?? "", name: name)
    if index >= 0 { all[index].origin.merge(origin) }
    return index
  }

  private mutating func index(id: String, name: String) -> Int {
    if id.isEmpty, name.isEmpty { return -1 }
    if let known = id.isEmpty ? byName[name] : byID[id] {
      if all[known].name.isEmpty { all[known].name = name }
      return known
    }
    all.append(CallTree.Binary(name: name, uuid: id))
    if id.isEmpty { byName[name] = all.count - 1 } else { byID[id] = all.count - 1 }
    return all.count - 1
  }
}

extension CallTree.Binary {
  /// The UUID as 32 upper-case hexadecimal digits, parsed from `cdb53ddb-2337-…`; nil for anything else. `hasAge`:
  /// whether more may follow, such as the age that Sentry appends for debug files of Windows.
  static func uuid(_ text: UnsafeBufferPointer<UInt8>, hasAge: Bool = false) -> String? {
    guard (32...64).contains(text.count) else { return nil }
    var count = 0
    var isValid = true
    let uuid = String(unsafeUninitializedCapacity: 32) { digits in
      for byte in text where byte != UInt8(ascii: "-") {
        if count == 32 {
          isValid = hasAge
          break
        }
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"): digits[count] = byte
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digits[count] = byte - 32
        default:
          isValid = false
          return 0
        }
        count += 1
      }
      return count
    }
    return isValid && count == 32 ? uuid : nil
  }
}

extension CallTree.Binary.Origin {
  /// The origin that a binary's path on a device, Mac or simulator implies; unknown for any other text.
  init(path: UnsafeBufferPointer<UInt8>) {
    let path = UnsafeBufferPointer(rebasing: path.prefix(2_000))
    if Self.systemFolders.contains(where: { path.starts(with: $0) })
      || Self.runtimes.contains(where: { Self.holds($0, path) })
    {
      self = .system
    } else {
      self = Self.holds(Self.bundle, path) ? .app : .unknown
    }
  }

  init(path: BorrowedJSONString?) { self = path.map { Self(path: $0.bytes) } ?? .unknown }

  /// Whether `path` contains `part`. It compares bytes without allocating, because each frame of a stack may have a
  /// path.
  private static func holds(_ part: [UInt8], _ path: UnsafeBufferPointer<UInt8>) -> Bool {
    guard path.count >= part.count else { return false }
    let first = part[0]
    for start in 0...(path.count - part.count) where path[start] == first {
      if part.indices.allSatisfy({ path[start + $0] == part[$0] }) { return true }
    }
    return false
  }

  private static let systemFolders = ["/System/", "/usr/lib/", "/private/preboot/", "/Library/Apple/"].map {
    Array($0.utf8)
  }
  /// Folders of simulator runtimes. They contain system code outside the system's folders, in older versions inside
  /// Xcode.
  private static let runtimes = [".simruntime/", "/RuntimeRoot/", "/Xcode.app/"].map { Array($0.utf8) }
  private static let bundle = Array(".app/".utf8)

  /// Merges the origin from another report. A known origin replaces an unknown one, and `app` replaces `system`.
  mutating func merge(_ other: Self) {
    if self == .unknown || other == .app { self = other == .unknown ? self : other }
  }
}
