import App
/// A bug of a demo app: its exception and the functions on its stack, outermost first. An empty function name means
/// a frame without a symbol, which has only an offset.
struct DemoBug {
  var exception: String
  var signal: Int
  var functions: [String]
  var weight: Double

  private init(_ exception: String, _ signal: Int, _ weight: Double, _ functions: String...) {
    self.exception = exception
    self.signal = signal
    self.functions = functions
    self.weight = weight
  }

  /// The bugs of every release.
  static let old = [
    DemoBug("EXC_BREAKPOINT", 5, 20, "SearchViewController.show(results:)", "SearchStore.result(at:)"),
    DemoBug("EXC_BAD_ACCESS", 11, 14, "ImageLoader.finish(task:)", "ImageCache.store(image:for:)"),
    DemoBug("EXC_CRASH", 6, 11, "ProductViewController.reload()", "ProductViewController.updateRows(from:)"),
    DemoBug("EXC_BREAKPOINT", 5, 9, "OrderParser.order(from:)", "JSONReader.value(for:)"),
    DemoBug("EXC_BREAKPOINT", 5, 8, "ProfileParser.profile(from:)", "JSONReader.value(for:)"),
    DemoBug("EXC_BAD_ACCESS", 11, 7, "VideoView.layoutSubviews()", "VideoRenderer.draw(frame:)"),
    DemoBug("EXC_CRASH", 6, 6, "LoginViewController.finish(with:)", "Keychain.write(token:)"),
    DemoBug("EXC_BAD_ACCESS", 11, 5, "CartStore.merge(remote:)", "CartStore.apply(change:)"),
    DemoBug("EXC_BREAKPOINT", 5, 4, "AddressForm.validate()", "PostalCode.init(text:)"),
    DemoBug("EXC_CRASH", 6, 4, "NotificationCenterBridge.receive(payload:)", "Route.open(url:)"),
    DemoBug("EXC_BAD_ACCESS", 11, 3, "ReviewList.scroll(to:)", "ReviewCell.prepare(review:)"),
    DemoBug("EXC_BREAKPOINT", 5, 3, "WishList.move(from:to:)", "WishList.item(at:)"),
    DemoBug("EXC_BAD_ACCESS", 10, 2, "Analytics.flush()", "EventQueue.write(events:)"),
    DemoBug("EXC_BREAKPOINT", 5, 2, "CouponViewController.apply(code:)", "Money.subtract(other:)"),
    DemoBug("EXC_CRASH", 6, 2, "StoreMap.select(pin:)", "StoreMap.camera(for:)"),
    DemoBug("EXC_BAD_ACCESS", 11, 2, "ChatViewController.send(message:)", "Socket.write(frame:)"),
    DemoBug("EXC_BREAKPOINT", 5, 2, "SizeTable.show(product:)", "SizeTable.column(for:)"),
    DemoBug("EXC_BAD_ACCESS", 11, 1, "ShareSheet.present(from:)", "ShareSheet.preview()"),
    DemoBug("EXC_BREAKPOINT", 5, 1, "Deeplink.parse(url:)", "Deeplink.parameter(named:)"),
    DemoBug("EXC_CRASH", 6, 1, "PaymentSheet.confirm()", "PaymentSession.begin(order:)"),
    DemoBug("EXC_BAD_ACCESS", 11, 2, "", ""),
    DemoBug("EXC_BREAKPOINT", 5, 1, "", ""),
  ]

  /// The bugs that the faulty release introduced.
  static let new = [
    DemoBug("EXC_BAD_ACCESS", 11, 78, "CartView.payTapped()", "CartViewController.checkout()"),
    DemoBug("EXC_BREAKPOINT", 5, 14, "CartViewController.checkout()", "PriceBadge.update(total:)"),
    DemoBug("EXC_CRASH", 6, 8, "RecommendationStore.load()", "RecommendationStore.decode(page:)"),
  ]

  /// Stacks of hangs, of excessive processor time and of excessive disk writes.
  static let hangs = [
    DemoBug(
      "", 0, 9, "FeedViewController.viewWillAppear(_:)", "FeedStore.loadSynchronously()", "FeedParser.parse(data:)"),
    DemoBug("", 0, 6, "SearchViewController.textChanged(_:)", "SearchIndex.match(term:)"),
    DemoBug(
      "", 0, 4, "ProductViewController.viewDidLoad()", "ImageLoader.image(named:)", "ImageDecoder.decode(bytes:)"),
    DemoBug("", 0, 3, "CartViewController.checkout()", "PaymentSession.wait()"),
    DemoBug("", 0, 2, "AppDelegate.migrate()", "Database.vacuum()"),
    DemoBug("", 0, 1, "SettingsViewController.reload()", ""),
  ]
}
