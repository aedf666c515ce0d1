import Core

/// The devices that a budget applies to.
enum DeviceMatch: Sendable, Hashable {
  /// A pattern of model identifiers, in which `*` matches any characters: `iPhone12,*`.
  case pattern(String)
  case deviceClass(DeviceClass)
  /// A model's marketing name, such as `iPhone SE (3rd generation)`, and its identifiers.
  case named(String, models: [String])

  /// Whether the budget applies to a model identifier such as `iPhone12,1`.
  func matches(model: String) -> Bool {
    switch self {
    case .pattern(let pattern): Self.matches(Array(pattern.utf8), Array(model.utf8))
    case .deviceClass(let wanted): DeviceClass.of(model: model) == wanted
    case .named(_, let models): models.contains(model)
    }
  }

  /// The devices as written after `on` in a budget.
  var text: String {
    switch self {
    case .pattern(let pattern): pattern
    case .deviceClass(let wanted): wanted.name
    case .named(let name, _): name
    }
  }

  /// Whether a pattern matches any of the model identifiers.
  static func pattern(_ pattern: String, meansOneOf models: [String]) -> Bool {
    let bytes = Array(pattern.utf8)
    return models.contains { matches(bytes, Array($0.utf8)) }
  }

  /// Backtracks only to the last star, so the time is at most proportional to the product of both lengths.
  private static func matches(_ pattern: [UInt8], _ text: [UInt8]) -> Bool {
    var position = 0
    var index = 0
    var star: (position: Int, index: Int)?
    while index < text.count {
      if position < pattern.count, pattern[position] == UInt8(ascii: "*") {
        star = (position, index)
        position += 1
      } else if position < pattern.count, pattern[position] == text[index] {
        position += 1
        index += 1
      } else if let last = star {
        star = (last.position, last.index + 1)
        position = last.position + 1
        index = last.index + 1
      } else {
        return false
      }
    }
    return pattern[position...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}
