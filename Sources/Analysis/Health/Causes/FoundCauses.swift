import Core
import Statistics
import Storage

/// What `CauseSearch` found, with names.
package struct FoundCauses {
  package let causes: [NamedCause]
  package let tested: Int
  package let isWorse: Bool
}
