/// Chooses elements as CSS does, by a small part of its language: `table.numbers > tbody tr`, `#end`, `a[href]`,
/// `input[type=hidden]`, `h2, h3`. Attributes match whole values only.
struct Selector {
  /// One of the choices between commas: compounds from the outermost inwards.
  private var choices: [[Compound]]

  private struct Compound {
    var name = ""
    var classes: [Substring] = []
    var attributes: [(name: Substring, value: String?)] = []
    /// Has to be the child of the one before, not only inside it.
    var isChild = false

    func matches(_ element: Element) -> Bool {
      (name.isEmpty || name == element.name) && classes.allSatisfy(element.classes.contains)
        && attributes.allSatisfy { attribute in
          let value = element[String(attribute.name)]
          return attribute.value == nil ? value != nil : value == attribute.value
        }
    }
  }

  init(_ text: String) {
    choices = text.split(separator: ",").map { choice in
      var compounds: [Compound] = []
      var isChild = false
      for word in Self.words(choice) {
        if word == ">" {
          isChild = true
        } else {
          var compound = Self.compound(word)
          compound.isChild = isChild
          compounds.append(compound)
          isChild = false
        }
      }
      return compounds
    }
  }

  /// Whether it chooses an element inside `root`.
  func matches(_ element: Element, within root: Element) -> Bool {
    choices.contains { Self.matches(element, $0[...], root) }
  }

  private static func matches(_ element: Element, _ compounds: ArraySlice<Compound>, _ root: Element) -> Bool {
    guard let last = compounds.last, last.matches(element) else { return false }
    let rest = compounds.dropLast()
    guard !rest.isEmpty else { return !last.isChild || element.parent === root }
    var outer = element.parent
    while let candidate = outer, candidate !== root {
      if matches(candidate, rest, root) { return true }
      if last.isChild { return false }
      outer = candidate.parent
    }
    return false
  }

  /// Cut at spaces that are not between brackets.
  private static func words(_ text: Substring) -> [Substring] {
    var depth = 0
    return text.split { character in
      if character == "[" { depth += 1 }
      if character == "]" { depth -= 1 }
      return character == " " && depth == 0
    }
  }

  private static func compound(_ word: Substring) -> Compound {
    var compound = Compound()
    var rest = word
    func name() -> Substring {
      let name = rest.prefix { !".#[".contains($0) }
      rest = rest.dropFirst(name.count)
      return name
    }
    compound.name = String(name())
    while let mark = rest.first {
      rest = rest.dropFirst()
      switch mark {
      case ".": compound.classes.append(name())
      case "#": compound.attributes.append(("id", String(name())))
      default:
        let inside = rest.prefix { $0 != "]" }
        rest = rest.dropFirst(inside.count + 1)
        let name = inside.prefix { $0 != "=" }
        compound.attributes.append((name, name.count < inside.count ? String(inside.dropFirst(name.count + 1)) : nil))
      }
    }
    return compound
  }
}
