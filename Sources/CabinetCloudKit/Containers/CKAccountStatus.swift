/// The status of a container's account, with CloudKit's numbers.
public enum CKAccountStatus: Int, Sendable, Hashable {
    /// The status cannot be determined.
    case couldNotDetermine = 0
    /// The container has an account.
    case available = 1
    /// The account may not be used.
    case restricted = 2
    /// The container has no account.
    case noAccount = 3
    /// The account is temporarily unavailable.
    case temporarilyUnavailable = 4
}
