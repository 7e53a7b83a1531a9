/// Which of several stores a new database is put into.
public struct DatabasePlacement: Sendable {
    private let choose: @Sendable (DatabaseKey, [String]) -> String

    /// Creates a placement by a rule of one's own.
    ///
    /// - Parameter choose: Chooses one of the stores' names, which are in ascending order, for a new database. Once the database is
    ///   written to, the choice is kept.
    public init(_ choose: @escaping @Sendable (_ database: DatabaseKey, _ names: [String]) -> String) {
        self.choose = choose
    }

    /// Spreads databases evenly, by a checksum of their keys and the stores' names.
    ///
    /// A further store gets its share of the new databases.
    public static let byKey = DatabasePlacement { database, names in
        func rank(_ name: String) -> Asset.Checksum {
            var bytes = CanonicalBytes()
            bytes.add(name)
            bytes.add(database.description)
            var hash = SHA256()
            bytes.bytes.withUnsafeBytes { hash.update($0) }
            return hash.checksum
        }
        return names.map { (rank($0), $0) }.min { $0.0 < $1.0 }?.1 ?? ""
    }

    /// The name of the store that a new database is put into.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - names: The names of the stores.
    public func name(for database: DatabaseKey, among names: [String]) -> String {
        choose(database, names.sorted())
    }

    /// The store for a database, which must be one of those that there are.
    func checkedName(for database: DatabaseKey, among names: [String]) throws(CabinetError) -> String {
        let name = choose(database, names)
        guard names.contains(name) else {
            throw CabinetError(
                .invalidArguments,
                "The placement puts \(database) into '\(name)', and there are only \(names.joined(separator: ", ")).")
        }
        return name
    }
}
