/// The databases of a container.
public enum DatabaseScope: Int, Sendable, Hashable, Codable, CaseIterable {
    /// The database that all users share.
    case `public` = 1
    /// The database of one user.
    case `private` = 2
    /// The database through which one user sees what others share.
    case shared = 3
}
