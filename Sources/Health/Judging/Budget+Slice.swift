import Budgets
import Storage
import Telemetry

extension Budget {
  /// Whether it looks at a part of the devices, systems or labels only.
  package var isNarrow: Bool { device != nil || !systems.isEmpty || label != nil }

  /// Which members of a dimension have to be picked, because no single slice holds what the budget is about.
  struct Matching: Equatable {
    var devices = false
    var systems = false

    static let all = Matching()
  }

  /// What has to be picked within a slice. A class of devices is a slice of its own, unless the page shows another class.
  func matching(in slice: Slice) -> Matching {
    Matching(devices: device != nil && !isClass(of: slice), systems: !systems.isEmpty)
  }

  private func isClass(of slice: Slice) -> Bool {
    guard case .deviceClass(let wanted) = device else { return false }
    return slice.deviceClass == wanted.name
  }

  /// Whether a system such as `iOS 17.4.1` is meant.
  func includes(system: String) -> Bool { systems.allSatisfy { $0.matches(system) } }

  /// The slice with the budget's conditions as it was written, for people.
  func named(in slice: Slice) -> Slice {
    var named = slice
    if named.device == nil, !isClass(of: slice) { named.device = device?.text }
    if named.os == nil, !systems.isEmpty { named.os = systems.map(\.text).joined(separator: ", ") }
    return named
  }
}

extension Scope {
  /// The slice and window a budget is about, as far as one slice can say it.
  func narrowed(by budget: Budget) -> Scope {
    var slice = slice
    if let environment = budget.environment { slice.environment = environment }
    if let label = budget.label { slice.label = label }
    if case .deviceClass(let wanted) = budget.device, slice.deviceClass == nil { slice.deviceClass = wanted.name }
    let window = budget.days.map { Window(days: $0, endingOn: self.window.to) }
    return with(window: window, slice: slice)
  }
}
