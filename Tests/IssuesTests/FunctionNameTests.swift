import Testing

@testable import Ingest

@Suite("Names of functions")
struct FunctionNameTests {
  @Test(
    "additions of compilers and demanglers are removed from a function's name",
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
    "functions of C++, Objective-C++ and Rust keep their qualified name, without types",
    arguments: [
      ("void shop::Cart::checkout<int>(int)", "shop::Cart::checkout()"),
      ("bool shop::eq<int>(int)", "shop::eq()"),
      ("unsigned long largest<int>(int)", "largest()"),
      ("decltype(auto) make<int>(int)", "make()"),
      ("decltype (fp.value()) shop::make<int>(int)", "shop::make()"),
      ("std::enable_if<(sizeof(int)) > (2), int>::type shop::wide<int>(int)", "shop::wide()"),
      ("std::__1::vector<int, std::__1::allocator<int> >::push_back(int const&)", "std::__1::vector::push_back()"),
      ("std::__1::function<void (int)>::operator()(int) const", "std::__1::function::operator()()"),
      ("operator new(unsigned long)", "operator new()"), ("operator delete[](void*)", "operator delete[]()"),
      ("shop::operator<(shop::Cart const&, shop::Cart const&)", "shop::operator<()"),
      ("shop::operator<<(std::ostream&, shop::Cart const&)", "shop::operator<<()"),
      ("bool shop::operator< <int>(shop::List<int> const&)", "shop::operator<()"),
      ("bool shop::operator==<int>(shop::List<int> const&)", "shop::operator==()"),
      ("Foo::operator()(int) const", "Foo::operator()()"), ("Foo::operator->() const", "Foo::operator->()"),
      ("Foo::operator[](unsigned long)", "Foo::operator[]()"), ("Foo::operator,(int)", "Foo::operator,()"),
      ("shop::Cart::operator bool() const", "shop::Cart::operator bool()"),
      ("shop::Cart::operator unsigned long() const &", "shop::Cart::operator unsigned long()"),
      ("shop::Cart::operator std::vector<int, A>()", "shop::Cart::operator std::vector()"),
      ("shop::operator\"\" _km(long double)", "shop::operator\"\"_km()"),
      ("(anonymous namespace)::helper(int)", "(anonymous namespace)::helper()"),
      ("shop::(anonymous namespace)::Cache::load()", "shop::(anonymous namespace)::Cache::load()"),
      ("shop::Cart::~Cart()", "shop::Cart::~Cart()"), ("shop::Cart::Cart(int) noexcept", "shop::Cart::Cart()"),
      ("static shop::A::b(int)", "shop::A::b()"), ("non-virtual thunk to shop::A::b(int)", "shop::A::b()"),
      ("checkout(int)::$_0::operator()() const", "checkout()"), ("pay(int)::$_1::operator()(int) const", "pay()"),
      ("shop::pay(int)::{lambda(int)#1}::operator()(int) const", "shop::pay()"),
      ("shop::pay(int)::'lambda'(int)::operator()(int) const", "shop::pay()"),
      ("shop::pay(int) const::Local::run()", "shop::pay::Local::run()"),
      ("invocation function for block in shop::Cart::pay(int)", "shop::Cart::pay()"),
      ("void (*shop::select<int>(int))(char)", "shop::select()"),
      ("shop::List<&(shop::less(int, int))>::sort()", "shop::List::sort()"),
      ("shop::swap[abi:ne180100](shop::Cart&)", "shop::swap()"),
      ("<shop::Cart as core::fmt::Display>::fmt", "<shop::Cart as core::fmt::Display>::fmt"),
      ("<shop::Order as core::fmt::Display>::fmt", "<shop::Order as core::fmt::Display>::fmt"),
      ("<shop::List<shop::Item> as core::ops::Drop>::drop", "<shop::List as core::ops::Drop>::drop"),
      ("shop::cart::<impl shop::Cart>::pay", "shop::cart::<impl shop::Cart>::pay"),
      ("core::ptr::drop_in_place::<shop::Cart>", "core::ptr::drop_in_place"),
      ("shop::cart::Cart<T>::pay::h0123456789abcdef", "shop::cart::Cart::pay"),
      ("shop::cart::pay::{{closure}}", "shop::cart::pay"), ("shop::cart::pay::{closure#0}", "shop::cart::pay"),
    ])
  func otherLanguages(name: String, expected: String) {
    #expect(FunctionName.plain(name, module: "Shop") == expected)
  }

  @Test(
    "helpers of the runtime are not functions of a stack",
    arguments: [
      "Swift runtime failure: Index out of range", "thunk for @escaping @callee_guaranteed () -> ()",
      "protocol witness for Shop.A.b() in conformance Shop.C", "objc_msgSend", "outlined copy of Shop.Item",
      "Swift._assertionFailure(_: Swift.StaticString) -> Swift.Never", "abort", "abort()",
    ])
  func helpers(name: String) {
    #expect(FunctionName.plain(name, module: "Shop") == nil)
  }

  @Test("a function of the app may begin like a helper")
  func likeHelper() { #expect(FunctionName.plain("abortCheckout()", module: "Shop") == "abortCheckout()") }

  @Test(
    "no function name causes a trap or becomes empty",
    arguments: [
      "", "(", ")", "<", ">", "closure #", "generic ", "a<", "a(b:", " -> ", "(in _", "é<ü>(ß:)", "(( in _)", "::",
      "a::<", "operator", "a::operator", "a::operator<", "a::(", "a::{", "a::'", "decltype(", "a::operator b<",
    ])
  func hostile(name: String) {
    for (text, module) in [(name, "Shop"), (name + " in _x)", name)] {
      if let plain = FunctionName.plain(text, module: module) { #expect(!plain.isEmpty, "\(text)") }
    }
  }
}
