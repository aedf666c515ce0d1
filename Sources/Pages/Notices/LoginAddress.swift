/// The form to sign in. `Server` answers it: it reads nothing that pages read.
enum LoginAddress: PageAddress {
  static let path: PathPattern = "login"
  static let parent: (any PageAddress.Type)? = nil
}

enum LogoutAddress: PageAddress {
  static let path: PathPattern = "logout"
  static let parent: (any PageAddress.Type)? = nil
}

extension Page {
  public static let login = Page(LoginAddress.self)
  public static let logout = Page(LogoutAddress.self)
}
