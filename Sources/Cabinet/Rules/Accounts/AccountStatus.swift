/// Whether a container has an account.
public enum AccountStatus: Int, Sendable, Hashable, Codable {
    /// The account's status cannot be found out.
    case couldNotDetermine = 0
    /// There is an account.
    case available = 1
    /// The account may not be used.
    case restricted = 2
    /// There is no account.
    case noAccount = 3
    /// There is an account, and it cannot be used now.
    case temporarilyUnavailable = 4
}
