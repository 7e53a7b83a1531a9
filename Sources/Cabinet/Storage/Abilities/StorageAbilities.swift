/// The optional abilities of a store, beyond reading and writing.
///
/// Each ability is a value of its own protocol, or `nil`. If an ability is absent, the core does the work itself or refuses it
/// with a clear error. A backend that wraps another one passes the whole value on, or replaces one part of it.
public struct StorageAbilities: Sendable {
    /// The ability to signal changes; without it, the core polls.
    public var signals: (any ChangeSignals)?

    /// The ability to list the store's databases; without it, work on the whole store, such as copying, is refused.
    public var databases: (any DatabaseListing)?

    /// The ability to store the bytes of assets; without it, records with assets are refused.
    public var assets: (any AssetStorage)?

    /// The ability to check and rebuild the store's own structures; without it, a verification does not check them.
    public var maintenance: (any StorageMaintenance)?

    /// Creates abilities; by default none.
    ///
    /// - Parameters:
    ///   - signals: Signals changes.
    ///   - databases: Lists the databases of the store.
    ///   - assets: Stores the bytes of assets.
    ///   - maintenance: Checks and rebuilds the store's own structures.
    public init(
        signals: (any ChangeSignals)? = nil, databases: (any DatabaseListing)? = nil,
        assets: (any AssetStorage)? = nil, maintenance: (any StorageMaintenance)? = nil
    ) {
        self.signals = signals
        self.databases = databases
        self.assets = assets
        self.maintenance = maintenance
    }
}

/// An ability to signal that a database may have changed.
public protocol ChangeSignals: Sendable {
    /// Returns a stream with an element whenever a database may have changed.
    ///
    /// Law: a signal follows every write that has changed something: at once after a write of this backend, and within a time
    /// that the backend documents after a write of another process. A signal may come without a change, and one signal may stand
    /// for several changes. A signal follows the last change even if no task awaits the stream at that moment. The stream ends
    /// when the backend is closed.
    ///
    /// - Parameter database: The database to observe; it need not exist.
    /// - Returns: A stream of signals from now on.
    /// - Complexity: a write pays for the open streams, and hardly anything if there are none.
    func changeSignals(of database: DatabaseKey) -> AsyncStream<Void>
}

/// An ability to list the databases of a store, for work on the whole store.
public protocol DatabaseListing: Sendable {
    /// Lists the databases of the store.
    ///
    /// Law: the result has every database that a write of any process has changed, each once, in any order. It may also have
    /// empty databases.
    ///
    /// - Returns: The keys of the databases.
    /// - Throws: The store's failures.
    /// - Complexity: in the number of databases, not of records.
    func databases() async throws -> [DatabaseKey]
}

/// The optional abilities of a view of a database.
///
/// Each ability is a value of its own protocol, or `nil`; it is valid as long as its view.
public struct SnapshotAbilities: Sendable {
    /// The ability to compute counts and values of a plan's records; without it, the core computes them from pages.
    public var aggregates: (any StorageAggregates)?

    /// The ability to read stored assets; the view of a backend with ``StorageAbilities/assets`` has it.
    public var assets: (any StoredAssets)?

    /// The ability to delete records that refer to another one together, in transactions; without it, the core deletes them one by one.
    public var referrers: (any StorageReferrers)?

    /// Creates abilities; by default none.
    ///
    /// - Parameters:
    ///   - aggregates: Computes counts and values of a plan's records.
    ///   - assets: Reads stored assets.
    ///   - referrers: Deletes records that refer to another one together.
    public init(
        aggregates: (any StorageAggregates)? = nil, assets: (any StoredAssets)? = nil,
        referrers: (any StorageReferrers)? = nil
    ) {
        self.aggregates = aggregates
        self.assets = assets
        self.referrers = referrers
    }
}

/// An ability to check and rebuild the structures that a store derives from the records.
public protocol StorageMaintenance: Sendable {
    /// Searches for damage that only the store itself can detect, for `verify(repairing:progress:)` of CabinetTools.
    ///
    /// The core checks everything that a view returns. This method checks what lies below, such as damaged pages, and index
    /// entries that no requirement returns.
    ///
    /// Law: the result is empty for a store that only these protocols have changed.
    ///
    /// - Parameters:
    ///   - database: The database to check.
    ///   - limit: The maximum number of issues that each check returns.
    /// - Returns: The issues found.
    /// - Throws: The store's failures.
    /// - Complexity: in the size of the store.
    func issues(in database: DatabaseKey, limit: Int) async throws -> [IntegrityIssue]

    /// Rebuilds every index and other derived structure from the records.
    ///
    /// One transaction rebuilds what is derived from records. A store may create missing indexes before it, in transactions of their own.
    ///
    /// Law: afterwards indexes, look-ups by ID, references by target and all other derived structures agree with the records. No
    /// deletion is remembered of a stored record, and no record has changed. Records that cannot be read are skipped and left
    /// unchanged.
    ///
    /// - Parameter database: The database to rebuild.
    /// - Throws: ``CabinetError/Code/quotaExceeded`` if the store is full, and the store's other failures.
    /// - Complexity: in the number of records and of the entries derived from them.
    func rebuildIndexes(of database: DatabaseKey) async throws
}
