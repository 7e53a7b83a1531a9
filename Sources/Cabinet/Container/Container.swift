public import Foundation

/// A program's records: a public database, and a private and a shared one for each user.
///
/// ```swift
/// let container = try Container(
///     identifier: "com.example.shopping",
///     backend: SQLiteBackend(directory: url))
/// let database = container.privateDatabase
/// ```
///
/// Two containers with one backend are two devices: they see the same records. Two containers with two backends are two
/// worlds.
public struct Container: Sendable {
    /// The container's identifier, such as `com.example.shopping`.
    public let containerIdentifier: String

    /// What tells this container from others of the same user, as one device from another: who has made a change is not notified
    /// of it.
    public let deviceID: String

    /// The store that the container's records lie in, for work on the whole store.
    package let backend: any StorageBackend

    let service: any DatabaseService

    /// Creates a container over a backend.
    ///
    /// - Parameters:
    ///   - identifier: The container's identifier: 1 to 255 ASCII letters, digits, dots, hyphens and underscores.
    ///   - backend: Where the records live.
    ///   - account: The user on whose behalf the container works, or `nil` without one: then the public database can be read, and
    ///     nothing can be written.
    ///   - schema: Whether saves add record types and fields, as by default, or a schema declares which ones there are.
    ///   - limits: How large requests and records may be, and how much work a request may do.
    ///   - changeRetention: How long deletions are remembered for those who fetch changes, and notifications for those who fetch
    ///     them.
    ///   - deviceID: What tells this container from others of the same user: 1 to 255 printable ASCII characters; by default a
    ///     new UUID. Give one that is kept, and changes that were made before a restart are known as own ones after it.
    ///   - now: The clock that creation and modification dates are taken from.
    /// - Throws: ``CabinetError/Code/badContainer`` if the identifier, and ``CabinetError/Code/invalidArguments`` if the account's
    ///   name, the device's ID or a strict schema, is malformed.
    public init(
        identifier: String, backend: any StorageBackend, account: Account? = .default,
        schema: SchemaMode = .growing, limits: Limits = .default,
        changeRetention: ChangeRetention = ChangeRetention(), deviceID: String = UUID().uuidString,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        try NameRule.containerIdentifier.validate(identifier)
        if let account { try NameRule.userRecordName.validate(account.userRecordName) }
        try NameRule.deviceID.validate(deviceID)
        containerIdentifier = identifier
        self.deviceID = deviceID
        self.backend = backend
        service = try LocalDatabaseService(
            backend: backend, account: account, schema: schema, limits: limits, retention: changeRetention,
            deviceID: deviceID, now: now
        )
    }

    /// The database that all users share.
    ///
    /// Everyone may read it, users may add to it, and only a record's creator may change or delete it.
    public var publicDatabase: Database { database(with: .public) }

    /// The database that only the container's user can reach.
    public var privateDatabase: Database { database(with: .private) }

    /// The database through which the container's user sees what others share.
    ///
    /// It has no default zone.
    public var sharedDatabase: Database { database(with: .shared) }

    /// The database of a scope.
    public func database(with scope: Database.Scope) -> Database {
        Database(databaseScope: scope, containerIdentifier: containerIdentifier, service: service)
    }

    /// Whether the container has an account.
    public func accountStatus() async throws -> AccountStatus {
        service.userRecordName == nil ? .noAccount : .available
    }

    /// The ID of the user's own record, which every user has in the public and in the private database.
    ///
    /// - Throws: ``CabinetError/Code/notAuthenticated`` without an account.
    public func userRecordID() async throws -> RecordID {
        guard let name = service.userRecordName else { throw AccountRule.notAuthenticated }
        return RecordID(recordName: name)
    }

    /// Gives back what the container's backend holds: files, connections, threads.
    ///
    /// Requests that are under way are finished first; later ones throw ``CabinetError/Code/serviceUnavailable``.
    public func close() async {
        await service.close()
    }
}
