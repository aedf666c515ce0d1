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
      .measuresScreen("Feed", isLoaded: isLoaded)
    }
  }
#endif
