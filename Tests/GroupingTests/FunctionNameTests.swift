import Grouping
import Testing

@Suite("names of functions")
struct FunctionNameTests {
  @Test(
    "what compilers and demanglers add is taken off",
    arguments: [
      ("Shop.CartViewController.checkout() -> ()", "CartViewController.checkout()"),
      ("closure #1 (Swift.Int) -> () in Shop.CartViewController.checkout() -> ()", "CartViewController.checkout()"),
      ("closure #2 in closure #1 in Shop.Feed.reload(animated: Swift.Bool) -> ()", "Feed.reload(animated:)"),
      ("generic specialization <Shop.Item> of Shop.List.remove<A>(at: Swift.Int) -> A", "List.remove(at:)"),
      ("specialized Shop.List.remove(at: Swift.Int) -> Shop.Item", "List.remove(at:)"),
      ("(1) await resume partial function for Shop.Feed.load() async -> ()", "Feed.load()"),
      ("@objc Shop.CartViewController.pay(sender: Any?) -> ()", "CartViewController.pay(sender:)"),
      ("static Shop.Money.parse(_: Swift.String) -> Shop.Money?", "Money.parse(_:)"),
      ("Shop.Cart.total.getter : Swift.Int", "Cart.total.getter"),
      ("Shop.Cart.(open in _3F2A44B1)(item: Shop.Item) -> ()", "Cart.open(item:)"),
      ("(extension in Shop):Swift.Array.safe(at: Swift.Int) -> A?", "Array.safe(at:)"),
      ("__33-[CartViewController checkout]_block_invoke_2", "-[CartViewController checkout]"),
      ("-[CartViewController pay:with:]", "-[CartViewController pay:with:]"),
      ("cart::Total::add(int, std::vector<int> const&)", "cart::Total::add()"),
      ("static Shop.Money.== infix(Shop.Money, Shop.Money) -> Swift.Bool", "Money.=="),
      ("render_tile.cold.1", "render_tile"),
    ])
  func plain(name: String, expected: String) {
    #expect(FunctionName.plain(name, module: "Shop") == expected)
  }

  @Test(
    "helpers of the runtime are nobody's",
    arguments: [
      "Swift runtime failure: Index out of range", "thunk for @escaping @callee_guaranteed () -> ()",
      "protocol witness for Shop.A.b() in conformance Shop.C", "objc_msgSend", "outlined copy of Shop.Item",
      "Swift._assertionFailure(_: Swift.StaticString) -> Swift.Never",
    ])
  func helpers(name: String) {
    #expect(FunctionName.plain(name, module: "Shop") == nil)
  }

  @Test(
    "no text makes it trap",
    arguments: ["", "(", ")", "<", ">", "closure #", "generic ", "a<", "a(b:", " -> ", "(in _", "é<ü>(ß:)", "(( in _)"])
  func hostile(name: String) {
    _ = FunctionName.plain(name, module: "Shop")
    _ = FunctionName.plain(name + " in _x)", module: name)
  }
}
