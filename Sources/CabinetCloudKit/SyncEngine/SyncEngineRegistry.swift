import Synchronization

/// The latest engine of each delegate and database, so that an engine can continue the one it replaces.
final class SyncEngineRegistry: Sendable {
    /// A delegate with a database.
    struct Key: Hashable, Sendable {
        private let delegate: ObjectIdentifier
        private let registry: ObjectIdentifier
        private let identifier: String
        private let scope: CKDatabase.Scope

        init(_ configuration: CKSyncEngine.Configuration) {
            delegate = ObjectIdentifier(configuration.delegate)
            registry = ObjectIdentifier(configuration.database.registry)
            identifier = configuration.database.identifier
            scope = configuration.database.databaseScope
        }
    }

    private struct Link: Sendable {
        weak var engine: CKSyncEngine?
    }

    static let shared = SyncEngineRegistry()

    private let links = Mutex<[Key: Link]>([:])

    /// Stores an engine, and returns the one that it replaces, if that still exists.
    func replace(_ key: Key, with engine: CKSyncEngine) -> CKSyncEngine? {
        links.withLock { $0.updateValue(Link(engine: engine), forKey: key)?.engine }
    }

    /// Removes an engine that no longer exists.
    func remove(_ key: Key) {
        links.withLock { links in
            if let link = links[key], link.engine == nil { links[key] = nil }
        }
    }

    /// The number of engines.
    var count: Int { links.withLock { $0.count } }
}
