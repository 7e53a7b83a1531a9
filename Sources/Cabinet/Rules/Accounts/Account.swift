/// The user on whose behalf a container works.
///
/// Cabinet does not authenticate users. A server that has authenticated its user creates a container with the account:
///
/// ```swift
/// let container = try Container(
///     identifier: "com.example.shopping", backend: backend,
///     account: Account(userRecordName: "_anna"))
/// ```
public struct Account: Sendable, Hashable {
    /// The name of the user's own record, which is the user's identity in this container.
    public let userRecordName: String

    /// Creates an account.
    ///
    /// - Parameter userRecordName: 1 to 255 ASCII characters that identify this user, the first of them an underscore, as in
    ///   CloudKit. Records that programs create have no such names, so no record can be mistaken for a user's. The name is
    ///   checked when the container is created.
    public init(userRecordName: String) {
        self.userRecordName = userRecordName
    }

    /// The account of a program that has one user and no sign-in.
    public static let `default` = Account(userRecordName: "_default_user")
}
