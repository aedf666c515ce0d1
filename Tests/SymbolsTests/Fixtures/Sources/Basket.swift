// Compiled as Embedded Swift: its names begin with $e.

public struct Fruit {
  public var weight: Int
  public var price: Int
}

final class Basket {
  private var fruit: (Fruit, Fruit)

  init(_ first: Fruit, _ second: Fruit) { fruit = (first, second) }

  @inline(__always)
  private func cost(of fruit: Fruit) -> Int {
    precondition(fruit.weight > 0)
    return fruit.price * fruit.weight
  }

  @inline(never)
  func total(reducedBy discount: (Int) -> Int) -> Int {
    let sum = cost(of: fruit.0) + cost(of: fruit.1)
    return discount(sum)
  }
}

@inline(never)
func packed(_ count: Int) -> Basket {
  Basket(Fruit(weight: count, price: count), Fruit(weight: 3, price: count &- 2))
}

@_cdecl("basket_main")
public func basketMain(_ count: Int) -> Int {
  packed(count).total { $0 - count }
}
