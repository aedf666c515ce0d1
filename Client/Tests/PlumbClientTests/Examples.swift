#if canImport(SwiftUI)
  import PlumbClient
  import SwiftUI

  /// Compiled only: how an app's views use the package.
  struct FeedScreen: View {
    let items: [Int]
    let isLoaded: Bool

    var body: some View {
      MeasuredView("Feed") {
        ScrollView {
          MeasuredRows("Feed") { rows in
            ForEach(items, id: \.self) { item in rows.row { Text("\(item)") } }
          }
        }
      }
      .measuredScreen("Feed", isLoaded: isLoaded)
    }
  }
#endif

#if canImport(ObjectiveC)
  import Foundation
  import PlumbClient

  /// Compiled only: what Objective-C calls.
  func startFromObjectiveC(_ server: URL) -> Bool {
    PlumbObjC.start(server: server, key: "KEY", requiringConsent: true) && PlumbObjC.setConsent(granted: true)
  }
#endif
