import Cabinet
import Foundation

/// A fault of a broken backend: each closure is called between the core and a memory backend, and changes nothing by
/// default.
struct Fault: Sendable {
    /// The database that is read or written instead.
    var database: @Sendable (DatabaseKey) -> DatabaseKey = { $0 }

    // MARK: Reading

    /// The keys that are loaded instead.
    var keys: @Sendable (StorageKeys) -> StorageKeys = { $0 }
    /// The values that a load returns instead.
    var loaded: @Sendable (_ values: StorageValues, _ keys: StorageKeys) -> StorageValues = { values, _ in values }
    /// The origin that transactions load instead; `nil` for none.
    var origin: (@Sendable () -> String)?
    /// The range whose entries are read instead.
    var range: @Sendable (Range<StorageKey>) -> Range<StorageKey> = { $0 }
    /// The limit with which entries are read instead.
    var entryLimit: @Sendable (Int) -> Int = { $0 }
    /// The entries that are read instead.
    var entries: @Sendable ([StorageEntry]) -> [StorageEntry] = { $0 }
    /// The plan that is run, or counted, instead.
    var plan: @Sendable (QueryPlan) throws -> QueryPlan = { $0 }
    /// The page that a query returns instead.
    var page: @Sendable (_ records: [StoredRecord], _ plan: QueryPlan) -> [StoredRecord] = { records, _ in records }
    /// The plan that is run for a type with indexes instead.
    var indexedPlan: @Sendable (QueryPlan) throws -> QueryPlan = { $0 }
    /// The page that a query of a type with indexes returns instead.
    var indexedPage: @Sendable ([StoredRecord]) -> [StoredRecord] = { $0 }
    /// Whether a page of one zone that an index orders is cut off before other zones' records are left out.
    var pagesCountOtherZones = false
    /// Whether an index that is dropped and set again finds only the records that were stored when it was dropped.
    var keepsDroppedIndexes = false
    /// Whether a search that is repeated has the page of the first one.
    var keepsFirstSearches = false
    /// Whether queries are run in a task of their own, by a plan without the meter of the request.
    var detachesQueries = false
    /// The references that are found instead.
    var references: @Sendable ([StoredReference]) -> [StoredReference] = { $0 }
    /// The number since which changes are read instead.
    var since: @Sendable (Int64) -> Int64 = { $0 }
    /// The limit with which changes are read instead.
    var changeLimit: @Sendable (Int) -> Int = { $0 }
    /// The content of the changes that are read instead.
    var content: @Sendable (ChangeContent) -> ChangeContent = { $0 }
    /// The changes that are read instead.
    var changes: @Sendable ([StoredChange]) -> [StoredChange] = { $0 }

    // MARK: Writing

    /// The mutations that are applied instead.
    var applied: @Sendable ([StorageMutation]) -> [StorageMutation] = { $0 }
    /// The indexes that are set instead.
    var indexes: @Sendable (_ new: Set<StoredIndex>, _ old: Set<StoredIndex>) -> Set<StoredIndex> = { new, _ in new }
    /// Whether a zone with more than a thousand changes is not erased, and its deletions are not forgotten.
    var leavesLargeZones = false
    /// Whether the references of an erased zone's records stay.
    var zonesLeaveReferences = false

    // MARK: Abilities

    /// The abilities that a view has instead.
    var abilities: @Sendable (_ abilities: SnapshotAbilities, _ isTransaction: Bool) -> SnapshotAbilities = {
        abilities, _ in abilities
    }
    /// The faults of deletions of groups; without any, no transaction has the ability.
    var groups: GroupFault?
    /// The number that is counted instead.
    var count: @Sendable (Int) -> Int = { $0 }
    /// The value that is returned instead of an aggregate of all records of a plan; `nil` for the right value.
    var aggregate: (@Sendable (Aggregate, Record.FieldKey, [StoredRecord]) -> FieldValue?)?
    /// The grouped counts that are returned instead.
    var valueCounts: @Sendable ([ValueCount]) -> [ValueCount] = { $0 }
    /// The explanation that is given instead.
    var explanation: @Sendable (QueryExplanation) -> QueryExplanation = { $0 }
    /// The assets that are listed instead.
    var listedAssets: @Sendable ([StoredAsset]) -> [StoredAsset] = { $0 }
    /// The assets that are found by their checksums instead.
    var foundAssets: @Sendable (_ found: [StoredAsset?], _ checksums: [Asset.Checksum]) -> [StoredAsset?] = {
        found, _ in found
    }
    /// The assets that are reported to be in use instead.
    var usedAssets: @Sendable (_ used: Set<Asset.Checksum>, _ all: [Asset.Checksum]) -> Set<Asset.Checksum> = {
        used, _ in used
    }
    /// The bytes of an asset that are read instead.
    var assetBytes: @Sendable (_ bytes: Data?, _ range: Range<Int64>) -> Data? = { bytes, _ in bytes }
    /// The bytes that are uploaded instead.
    var uploaded: @Sendable (Data) -> Data = { $0 }
    /// Whether an upload's bytes are stored at once, and again by each transaction.
    var storesUploadsAtOnce = false
    /// Whether the files of assets have the mode 0644.
    var sharesFiles = false
    /// Whether uploads in progress are removed as abandoned.
    var abandonsUploads = false
    /// The databases that are listed instead.
    var databases: @Sendable ([DatabaseKey]) -> [DatabaseKey] = { $0 }
    /// The signals that are given instead.
    var signals: @Sendable (AsyncStream<Void>) -> AsyncStream<Void> = { $0 }
    /// The integrity issues that the store reports instead.
    var issues: @Sendable ([IntegrityIssue]) -> [IntegrityIssue] = { $0 }
    /// Whether rebuilding indexes loses the records without a name.
    var rebuildingLosesRecords = false

    // MARK: Transactions

    /// The part of a snapshot that is read from the latest state.
    var liveRead: LiveRead?
    /// Whether a write whose task is cancelled throws after its commit.
    var throwsAfterCommit = false
    /// The execution of transactions.
    var isolation = Isolation.full
    /// The number of snapshots that can be open at the same time.
    var openSnapshots = Int.max
    /// Whether snapshots whose bodies throw stay open.
    var leavesFailedSnapshotsOpen = false
    /// Whether a zone that a rolled-back transaction used first has the changes of the zone that is used next.
    var mixesUpRolledBackZones = false
    /// Whether types of rolled-back transactions are lost when the store is reopened.
    var losesRolledBackTypes = false
    /// Whether entries that rolled-back transactions set are lost when the store is reopened.
    var losesRolledBackEntries = false
    /// Whether a store that is opened a second time is another store.
    var isAnotherStoreWhenShared = false

    enum LiveRead: Sendable {
        /// The references to records.
        case references
        /// The records at the end of key paths.
        case targets
        case assets, assetList, assetUse, assetBytes
    }

    enum Isolation: Sendable, Equatable {
        /// Transactions without a fault.
        case full
        /// Each call of a reader sees the latest state.
        case liveReads
        /// A transaction that throws is kept.
        case noRollback
        /// Each read and each mutation of a writer is a transaction of its own.
        case autocommit
        /// A writer sees the state at its beginning, and is refused only if another one has written the same record since.
        ///
        /// Its entries are stored at once.
        case snapshots
        /// A writer sees the state at its beginning, and is run again if its reads have changed, but for reads of one kind.
        case optimistic(overlooking: OptimisticTransaction.Read?)
        /// The same, and overlooks no read, but commits some hundred mutations at a time.
        case parts
        /// A closed backend still accepts calls.
        case neverCloses
    }
}
