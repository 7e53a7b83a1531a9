/// The user on whose behalf a container works.
///
/// Cabinet does not authenticate users. A server that has authenticated its user creates a container with the account:
///
/// ```swift
/// let container = try Container(
///     identifier: "com.example.shopping", backend: backend,
///     account: Account(userRecordName: "_anna", roles: ["Editor"]))
/// ```
public struct Account: Sendable, Hashable {
    /// The name of the user's own record, which is the user's identity in this container.
    public let userRecordName: String

    /// The user's custom roles, which the grants of a schema can name.
    ///
    /// Every user also has the role `_icloud`. A role that no grant names permits nothing.
    public let roles: Set<String>

    /// Creates an account without custom roles.
    ///
    /// - Parameter userRecordName: The name of the user's own record, as in ``init(userRecordName:roles:)``.
    public init(userRecordName: String) {
        self.init(userRecordName: userRecordName, roles: [])
    }

    /// Creates an account.
    ///
    /// - Parameters:
    ///   - userRecordName: 1 to 255 ASCII characters that identify this user, the first of them an underscore, as in
    ///     CloudKit. Records that programs create have no such names, so no record can be mistaken for a user's. The name is
    ///     checked when the container is created.
    ///   - roles: The user's custom roles.
    public init(userRecordName: String, roles: Set<String>) {
        self.userRecordName = userRecordName
        self.roles = roles
    }

    /// The account of a program that has one user and no sign-in.
    public static let `default` = Account(userRecordName: "_default_user")
}

/// The status of a container's account.
public enum AccountStatus: Int, Sendable, Hashable, Codable {
    /// The status cannot be determined.
    case couldNotDetermine = 0
    /// The container has an account.
    case available = 1
    /// The account may not be used.
    case restricted = 2
    /// The container has no account.
    case noAccount = 3
    /// The container has an account that is temporarily unavailable.
    case temporarilyUnavailable = 4
}
