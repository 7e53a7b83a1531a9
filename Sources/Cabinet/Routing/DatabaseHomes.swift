import Synchronization

/// The homes of databases, as far as this process knows them.
///
/// What is known may be outdated. That does no harm: a transaction in a database that has left finds its mark, and asks again.
final class DatabaseHomes: Sendable {
    let backends: [String: any StorageBackend]
    let directory: any DatabaseDirectory
    private let placement: DatabasePlacement
    private let names: [String]
    private let known = Mutex<[DatabaseKey: DatabaseHome]>([:])

    /// So many homes are remembered.
    private static let capacity = 100_000

    init(_ backends: [String: any StorageBackend], _ directory: any DatabaseDirectory, _ placement: DatabasePlacement) {
        (self.backends, self.directory, self.placement) = (backends, directory, placement)
        names = backends.keys.sorted()
    }

    /// The store of a name.
    func backend(_ name: String) throws(CabinetError) -> any StorageBackend {
        guard let backend = backends[name] else {
            throw CabinetError(
                .invalidArguments,
                "There is no store '\(name)', where a database lives or should live; there are only "
                    + "\(names.joined(separator: ", ")). Give the routing backend all stores.")
        }
        return backend
    }

    /// The home of a database, as it is known or as the directory says; `nil` if it has none.
    func home(of database: DatabaseKey) async throws -> DatabaseHome? {
        if let home = known.withLock({ $0[database] }) { return home }
        return try await currentHome(of: database)
    }

    /// The home of a database, as the directory says now.
    func currentHome(of database: DatabaseKey) async throws -> DatabaseHome? {
        let home = try await directory.home(of: database)
        if let home { note(home, of: database) }
        return home
    }

    /// The home of a database, which is given one if it has none.
    func claimedHome(of database: DatabaseKey) async throws -> DatabaseHome {
        if let home = try await home(of: database) { return home }
        let home = try await directory.replace(nil, with: proposedHome(of: database), of: database)
        note(home, of: database)
        return home
    }

    /// The home that a database without one would be given: where it is already, or where it is placed.
    func proposedHome(of database: DatabaseKey) async throws -> DatabaseHome {
        var found: [String] = []
        for name in names where try await backend(name).read(database, { try await CopyGuard.content(of: $0) }) != nil {
            found.append(name)
        }
        guard found.count < 2 else {
            throw CabinetError(
                .invalidArguments,
                "The directory does not know \(database), and several stores have it: \(found.joined(separator: ", ")). "
                    + "Give the routing backend the directory that was used with these stores.")
        }
        return DatabaseHome(name: try found.first ?? placement.checkedName(for: database, among: names))
    }

    /// Remembers a home, unless a later one is known.
    func note(_ home: DatabaseHome, of database: DatabaseKey) {
        known.withLock { known in
            if let other = known[database], other.generation > home.generation { return }
            if known.count >= Self.capacity { known.removeAll() }
            known[database] = home
        }
    }
}
