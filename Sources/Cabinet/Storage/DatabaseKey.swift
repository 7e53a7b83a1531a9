/// Which database of a container a backend is asked for.
///
/// Databases share nothing: a record ID means another record, or none, in each of them.
public enum DatabaseKey: Sendable, Hashable, Codable {
    /// The database that all users share.
    case `public`

    /// The database of one user, by the user's record name.
    case `private`(owner: String)

    /// The database through which one user, by record name, sees what others share.
    case shared(owner: String)
}

extension DatabaseKey: CustomStringConvertible {
    /// The database in words: `the private database of alice`.
    public var description: String {
        switch self {
        case .public: "the public database"
        case .private(let owner): "the private database of \(owner)"
        case .shared(let owner): "the shared database of \(owner)"
        }
    }
}
