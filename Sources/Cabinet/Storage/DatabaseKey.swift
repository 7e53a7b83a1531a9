/// The key of one database of a container.
///
/// Databases share nothing: the same record ID names a different record in each of them, or none.
public enum DatabaseKey: Sendable, Hashable, Codable {
    /// The database that all users share.
    case `public`

    /// The database of one user, by the user's record name.
    case `private`(owner: String)

    /// The database through which one user, by record name, sees what others share.
    case shared(owner: String)
}

extension DatabaseKey: CustomStringConvertible {
    /// A description of the database, such as `the private database of alice`.
    public var description: String {
        switch self {
        case .public: "the public database"
        case .private(let owner): "the private database of \(owner)"
        case .shared(let owner): "the shared database of \(owner)"
        }
    }
}
