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
