/// The user on whose behalf a container works.
///
/// Cabinet does not authenticate: a program that has found out who its user is says so with an account.
public struct Account: Sendable, Hashable {
    /// The name of the user's own record, which is the user's identity in this container.
    public let userRecordName: String

    /// Creates an account.
    ///
    /// - Parameter userRecordName: 1 to 255 ASCII characters that tell this user from every other, the first of them an
    ///   underscore, as in CloudKit: records that programs make have no such names, so none can be taken for a user's. The
    ///   name is checked when the container is created.
    public init(userRecordName: String) {
        self.userRecordName = userRecordName
    }

    /// The account of a program that has one user and no sign-in.
    public static let `default` = Account(userRecordName: "_default_user")
}
