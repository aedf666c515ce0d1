internal import Analysis
internal import Core
import Storage

extension Slice {
  /// The slice with another release; nil for all releases.
  func of(release: String?) -> Slice {
    var slice = self
    slice.release = release
    return slice
  }

  /// Whether the slice is filtered to one member of a dimension.
  func names(_ dimension: Dimension) -> Bool {
    switch dimension {
    case .release: release != nil
    case .os: os != nil
    case .device: device != nil
    case .deviceClass: deviceClass != nil || device != nil
    case .attribute: attribute != nil
    case .combination: (os != nil && device != nil)
    }
  }
}
