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
/// Two containers with one backend behave like two devices with the same records. Two containers with two backends
/// share nothing, which keeps tests independent. <doc:ChoosingABackend> compares the backends, and
/// <doc:GettingStarted> builds a first program.
public struct Container: Sendable {
    /// The backend that the container closes; `nil` in a container of a service.
    let ownBackend: (any StorageBackend)?

    let client: ServiceClient

    /// The container's identifier, such as `com.example.shopping`.
    public var containerIdentifier: String { client.containerIdentifier }

    /// The identifier that distinguishes this container from others of the same user, as one device from another.
    ///
    /// A device is not notified of its own changes.
    public var deviceID: String { client.caller.deviceID }

    init(
        identifier: String, service: any DatabaseService, backend: (any StorageBackend)?, account: Account?,
        deviceID: String, ownsService: Bool = false
    ) throws {
        try NameRule.containerIdentifier.validate(identifier)
        if let account {
            try NameRule.userRecordName.validate(account.userRecordName)
            for role in account.roles.sorted() { try NameRule.role.validate(role) }
        }
        try NameRule.deviceID.validate(deviceID)
        ownBackend = backend
        client = ServiceClient(
            containerIdentifier: identifier, service: service, caller: Caller(account: account, deviceID: deviceID),
            ownsService: ownsService || backend != nil)
    }

    init(ownBackend: (any StorageBackend)?, client: ServiceClient) {
        (self.ownBackend, self.client) = (ownBackend, client)
    }

    /// Creates a container over a backend.
    ///
    /// - Parameters:
    ///   - identifier: The container's identifier: 1 to 255 ASCII letters, digits, dots, hyphens and underscores.
    ///   - backend: The store of the records.
    ///   - account: The user that the container acts for, or `nil`. Without an account, the public database can be
    ///     read, and nothing can be written.
    ///   - schema: Whether saves add record types and fields, which is the default, or a schema declares them.
    ///   - limits: The maximum size of requests and records, and the maximum work of a request.
    ///   - changeRetention: The time for which deletions and notifications are kept for clients that fetch them.
    ///   - deviceID: The identifier that distinguishes this container from others of the same user: 1 to 255 printable
    ///     ASCII characters. The default is a new UUID. Pass a stored one to recognize changes from before a restart as
    ///     own changes.
    ///   - now: The clock for creation and modification dates.
    /// - Throws: ``CabinetError/Code/badContainer`` if the identifier is malformed, and
    ///   ``CabinetError/Code/invalidArguments`` if the account's name, a role, the device's ID or a strict schema is malformed.
    public init(
        identifier: String, backend: any StorageBackend, account: Account? = .default,
        schema: SchemaMode = .growing, limits: Limits = .default,
        changeRetention: ChangeRetention = ChangeRetention(), deviceID: String = UUID().uuidString,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        let service = try LocalDatabaseService(
            backend: backend, schema: schema, limits: limits, changeRetention: changeRetention, now: now)
        try self.init(
            identifier: identifier, service: service, backend: backend, account: account, deviceID: deviceID)
    }

    /// Creates a container of a service, which other containers may use too.
    ///
    /// - Parameters:
    ///   - identifier: The container's identifier: 1 to 255 ASCII letters, digits, dots, hyphens and underscores.
    ///   - service: The service: a ``LocalDatabaseService``, a wrapper of one, or another one.
    ///   - account: The user that the container acts for, or `nil`.
    ///   - deviceID: The identifier that distinguishes this container from others of the same user.
    /// - Throws: ``CabinetError/Code/badContainer`` if the identifier is malformed, and
    ///   ``CabinetError/Code/invalidArguments`` if the account's name, a role or the device's ID is malformed.
    public init(
        identifier: String, service: any DatabaseService, account: Account? = .default,
        deviceID: String = UUID().uuidString
    ) throws {
        try self.init(identifier: identifier, service: service, backend: nil, account: account, deviceID: deviceID)
    }

    /// The database that all users share.
    ///
    /// Everyone may read it, users may add to it, and only a record's creator may change or delete it, unless the schema grants
    /// these permissions to others, as <doc:RolesAndUniqueValues> explains.
    ///
    /// With the schema ``SchemaMode/growing``, every user who may create or write a record also adds fields to its type, for all
    /// users, until the type has as many as the store permits. Use ``SchemaMode/strict(_:)`` for users whom you do not trust.
    public var publicDatabase: Database { database(with: .public) }

    /// The database that only the container's user can access.
    public var privateDatabase: Database { database(with: .private) }

    /// The database with the zones that other users share with the container's user.
    ///
    /// It has no default zone.
    public var sharedDatabase: Database { database(with: .shared) }

    /// Returns the database of a scope.
    public func database(with scope: Database.Scope) -> Database {
        Database(databaseScope: scope, client: client)
    }

    /// Returns the status of the container's account: available, or no account.
    ///
    /// - Throws: Nothing; the signature is CloudKit's.
    public func accountStatus() async throws -> AccountStatus {
        client.userRecordName == nil ? .noAccount : .available
    }

    /// Returns the ID of the user's own record, which every user has in the public and in the private database.
    ///
    /// - Throws: ``CabinetError/Code/notAuthenticated`` without an account.
    public func userRecordID() async throws -> RecordID {
        guard let name = client.userRecordName else { throw AccountRule.notAuthenticated }
        return RecordID(recordName: name)
    }

    /// Closes the container, and releases the files, connections and threads of its backend.
    ///
    /// Call it before a program ends or a test removes its files. Requests in progress are finished first. Later requests
    /// throw ``CabinetError/Code/serviceUnavailable``. A container that was created with a service leaves the service open,
    /// because other containers may use it: close the service itself.
    public func close() async {
        if client.ownsService { await client.service.close() }
        client.files.remove()
    }
}

extension Container {
    /// Creates a container of a service that is the container's alone, and is closed with it.
    package init(
        identifier: String, owning service: any DatabaseService, account: Account?, deviceID: String
    ) throws {
        try self.init(
            identifier: identifier, service: service, backend: nil, account: account, deviceID: deviceID,
            ownsService: true)
    }

    /// The backend, for work on the whole store.
    ///
    /// It throws ``CabinetError/Code/invalidArguments`` in a container of a service.
    package var backend: any StorageBackend {
        get throws(CabinetError) {
            if let ownBackend { return ownBackend }
            throw CabinetError(
                .invalidArguments,
                "This works on a whole store, and the container has only a service. Create a container over the store's backend."
            )
        }
    }

    /// Returns the same container over another service, such as a wrapper of its own one.
    package func over(_ service: any DatabaseService) -> Container {
        let client = ServiceClient(
            containerIdentifier: containerIdentifier, service: service, caller: caller, ownsService: client.ownsService,
            encryption: client.encryption?.encryption)
        return Container(ownBackend: ownBackend, client: client)
    }

    /// The user and device that the container acts for.
    package var caller: Caller { client.caller }

    /// The service of the container's databases.
    package var service: any DatabaseService { client.service }

    /// Returns signals, one at the beginning and then one whenever a database may have changed.
    package func signals(of scope: DatabaseScope) throws -> AsyncStream<Void> {
        try client.signals(of: [scope])
    }
}
