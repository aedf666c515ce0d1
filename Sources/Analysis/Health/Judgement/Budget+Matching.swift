import Core
import Storage

extension Budget {
  /// Whether the budget applies only to some devices, OS versions, labels or values of the app's attribute.
  package var isNarrow: Bool { device != nil || !systems.isEmpty || label != nil || attribute != nil }

  /// The dimensions whose members must be filtered individually, because no single slice equals the budget's
  /// conditions.
  struct Matching: Equatable {
    var devices = false
    var systems = false

    static let all = Matching()
  }

  /// The dimensions to filter within a slice. A device class needs no filter, because it is a slice itself, unless the
  /// page shows another class.
  func matching(in slice: Slice) -> Matching {
    Matching(devices: device != nil && !isClass(of: slice), systems: !systems.isEmpty)
  }

  private func isClass(of slice: Slice) -> Bool {
    guard case .deviceClass(let wanted) = device else { return false }
    return slice.deviceClass == wanted.name
  }

  /// Whether the budget applies to an OS version such as `iOS 17.4.1`.
  func includes(system: String) -> Bool { systems.allSatisfy { $0.matches(system) } }

  /// The slice with the budget's conditions as text, for display.
  func named(in slice: Slice) -> Slice {
    var named = slice
    if named.device == nil, !isClass(of: slice) { named.device = device?.text }
    if named.os == nil, !systems.isEmpty { named.os = systems.map(\.text).joined(separator: ", ") }
    return named
  }
}

extension Scope {
  /// The scope, narrowed to the budget's conditions as far as a slice and a window can express them.
  func narrowed(by budget: Budget) -> Scope {
    var slice = slice
    if let environment = budget.environment { slice.environment = environment }
    if let label = budget.label { slice.label = label }
    if let attribute = budget.attribute { slice.attribute = attribute }
    if case .deviceClass(let wanted) = budget.device, slice.deviceClass == nil { slice.deviceClass = wanted.name }
    let window = budget.days.map { Window(days: $0, endingOn: self.window.to) }
    return with(window: window, slice: slice)
  }
}
