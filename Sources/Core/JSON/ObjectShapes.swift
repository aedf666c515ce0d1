/// The sequences of keys that objects of a document have, with what `PackedJSON.Selection` decided about each member.
/// Frames of a stack have equal ones, so that the decision is made once for all frames.
struct ObjectShapes {
  struct Member {
    let key: BorrowedJSONString
    /// The key's hash; 0 without hashes.
    let hash: UInt64
    /// The place of the member's content.
    let place: UInt8
    let isSelected: Bool
    /// Whether the value is an object, on which the decision may depend.
    let isObject: Bool
  }

  struct Shape {
    let number: Int
    let place: UInt8
    /// The range of its members in `ObjectShapes.members`.
    let first: Int
    let end: Int
    /// The number of its keys that are written.
    let written: Int
    /// The size of the object's text without its values, in bytes.
    let textSize: Int
  }

  private static let slotCount = 64

  /// The members of all shapes.
  private(set) var members: [Member] = []
  private var shapes: [Shape] = []
  /// The shape of the preceding object. The next one usually has the same.
  private var latest = 0
  /// The number of the latest shape in each slot; −1 for none.
  private var slots = [Int32](repeating: -1, count: Self.slotCount)

  init() {
    // A crash event has about a dozen shapes.
    shapes.reserveCapacity(16)
    members.reserveCapacity(64)
  }

  /// The shape of an object at a place; nil if it is not known.
  mutating func find(_ object: JSONValue, at place: UInt8) -> Shape? {
    if latest < shapes.count, isEqual(shapes[latest], object, place) { return shapes[latest] }
    let number = Int(slots[Self.slot(object, place)])
    guard number >= 0, isEqual(shapes[number], object, place) else { return nil }
    latest = number
    return shapes[number]
  }

  /// Whether an object has the keys of a shape, in the same order, and objects as values of the same ones.
  private func isEqual(_ shape: Shape, _ object: JSONValue, _ place: UInt8) -> Bool {
    guard shape.place == place else { return false }
    let close = object.end &- 1
    return members.withUnsafeBufferPointer { members in
      var next = shape.first
      var key = object.sibling(at: object.index &+ 1)
      while key.index < close {
        guard next < shape.end else { return false }
        let text = key.textUnchecked
        let value = key.sibling(at: key.index &+ 1)
        guard members[next].key.count == text.count, members[next].isObject == (value.tag == JSONValue.Tag.object),
          BorrowedJSONString.areEqual(members[next].key.base, text.base, text.count)
        else { return false }
        next &+= 1
        key = key.sibling(at: value.end)
      }
      return next == shape.end
    }
  }

  /// Adds the shape of an object. An object with `added` members before its own has a shape that is not found again.
  mutating func add(
    _ object: JSONValue, at place: UInt8, after added: [(key: StaticString, value: JSONValue?)], isHashed: Bool,
    _ select: PackedJSON.Selection
  ) -> Shape {
    let first = members.count
    var written = 0
    var textSize = 0
    for (key, value) in added where value != nil {
      textSize += JSONEscape.size(of: UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount)) + 2
      written += 1
    }
    var at = object.sibling(at: object.index + 1)
    while at.index < object.end - 1 {
      let (key, value) = (at.textUnchecked, at.sibling(at: at.index + 1))
      let isObject = value.tag == JSONValue.Tag.object
      let selected = select(key, isObject, place)
      members.append(
        Member(
          key: key, hash: isHashed ? key.hash : 0, place: selected ?? 0, isSelected: selected != nil, isObject: isObject
        ))
      if selected != nil {
        textSize += JSONEscape.size(of: key.bytes) + 2
        written += 1
      }
      at = at.sibling(at: value.end)
    }
    let shape = Shape(
      number: shapes.count, place: place, first: first, end: members.count, written: written,
      // Two brackets, and no comma before the first member.
      textSize: textSize + (written == 0 ? 2 : 1))
    shapes.append(shape)
    if added.isEmpty {
      slots[Self.slot(object, place)] = Int32(clamping: shape.number)
      latest = shape.number
    }
    return shape
  }

  /// The slot for an object. It depends on the number of its members, on which of them are objects, and on the first
  /// and last key.
  private static func slot(_ object: JSONValue, _ place: UInt8) -> Int {
    let close = object.end &- 1
    var mark = UInt64(place)
    var key = object.sibling(at: object.index &+ 1)
    guard key.index < close else { return Int(mark % UInt64(Self.slotCount)) }
    let first = key.textUnchecked
    var last = first
    while key.index < close {
      last = key.textUnchecked
      let value = key.sibling(at: key.index &+ 1)
      mark = mark &* 3 &+ (value.tag == JSONValue.Tag.object ? 2 : 1)
      key = key.sibling(at: value.end)
    }
    for text in [first, last] { mark = mark &* 31 &+ UInt64(text.count) &* 256 &+ UInt64(text.bytes.first ?? 0) }
    return Int(SeededHash.mixed(mark) % UInt64(Self.slotCount))
  }
}
