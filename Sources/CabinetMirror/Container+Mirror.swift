public import Cabinet
public import Foundation

extension Container {
    /// Creates a container that works without a network, and mirrors the databases of another one.
    ///
    /// ```swift
    /// let container = try Container(
    ///     mirroring: remote, in: SQLiteBackend(directory: folder))
    /// ```
    ///
    /// Everything else of a program stays the same. <doc:MirroringAServer> says what the container promises.
    ///
    /// - Parameters:
    ///   - remote: The container to mirror, whose identifier and user this one has. ``/Cabinet/Container/close()`` closes both.
    ///   - backend: The local store.
    ///   - configuration: The choices of the program.
    ///   - now: The clock that dates local changes.
    /// - Throws: ``/Cabinet/CabinetError/Code/notAuthenticated`` if the remote container has no user, and
    ///   ``/Cabinet/CabinetError/Code/invalidArguments`` if it has a key store, or if the selection names the default zone of iCloud.
    public init(
        mirroring remote: Container, in backend: any StorageBackend,
        configuration: MirrorConfiguration = MirrorConfiguration(), now: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        self = try MirrorDatabaseService(mirroring: remote, in: backend, configuration: configuration, now: now)
            .container()
    }

    /// The mirror of a container that ``init(mirroring:in:configuration:now:)`` has created, with its status; `nil` in another one.
    public var mirror: MirrorDatabaseService? { service as? MirrorDatabaseService }

    /// Whether the server returns no changes of the default zone.
    var reportsNoDefaultZone: Bool { service is any ZoneChangesService }

    /// Returns the error of what would need the changes of the default zone.
    static func noDefaultZone(_ recordID: RecordID?) -> CabinetError {
        CabinetError(
            .invalidArguments,
            "CloudKit reports no changes of the default zone, so a mirror of iCloud does not have it. Use a zone of your own.",
            recordID: recordID)
    }
}
