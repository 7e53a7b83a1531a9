import Cabinet
import Foundation

/// What is wrong with a broken backend: each closure comes between the core and a memory backend, and by default
/// changes nothing.
struct Fault: Sendable {
    /// The database that is read or written instead.
    var database: @Sendable (DatabaseKey) -> DatabaseKey = { $0 }
    /// The records that a fetch by ID returns instead.
    var fetched: @Sendable (_ records: [StoredRecord?], _ ids: [RecordID]) -> [StoredRecord?] = { records, _ in records
    }
    /// The fields that a fetch asks for instead.
    var keys: @Sendable ([Record.FieldKey]?) -> [Record.FieldKey]? = { $0 }
    /// The plan that is run, or counted, instead.
    var plan: @Sendable (QueryPlan) -> QueryPlan = { $0 }
    /// The page that a query returns instead.
    var page: @Sendable (_ records: [StoredRecord], _ plan: QueryPlan) -> [StoredRecord] = { records, _ in records }
    /// The number that is counted instead.
    var count: @Sendable (Int) -> Int = { $0 }
    /// What is computed instead of an aggregate of all records of a plan; `nil` for the right value.
    var aggregate: (@Sendable (Aggregate, Record.FieldKey, [StoredRecord]) -> FieldValue?)?
    /// The grouped counts that are returned instead.
    var valueCounts: @Sendable ([ValueCount]) -> [ValueCount] = { $0 }
    /// The explanation that is given instead.
    var explanation: @Sendable (QueryExplanation) -> QueryExplanation = { $0 }
    /// The references that are found instead.
    var references: @Sendable ([StoredReference]) -> [StoredReference] = { $0 }
    /// The schema that is read instead.
    var schema: @Sendable (StoredSchema) -> StoredSchema = { $0 }
    /// The fields that are added instead.
    var added: @Sendable ([StoredField]) -> [StoredField] = { $0 }
    /// The indexes that are set instead.
    var indexes: @Sendable (_ new: Set<StoredIndex>, _ old: Set<StoredIndex>) -> Set<StoredIndex> = { new, _ in new }
    /// The page that a query of a type with indexes returns instead.
    var indexedPage: @Sendable ([StoredRecord]) -> [StoredRecord] = { $0 }
    /// The number of sequence numbers that are reserved instead.
    var reserved: @Sendable (Int) -> Int = { $0 }
    /// The first sequence number that is given instead.
    var sequenceNumber: @Sendable (Int64) -> Int64 = { $0 }
    /// The records that are inserted instead.
    var inserted: @Sendable ([StoredRecord]) -> [StoredRecord] = { $0 }
    /// The records that are written by an update instead.
    var updated: @Sendable ([StoredRecord]) -> [StoredRecord] = { $0 }
    /// Whether an update keeps the old values of fields that the new record has none in.
    var updatesMerge = false
    /// The records that are removed instead.
    var removed: @Sendable ([RecordID]) -> [RecordID] = { $0 }
    /// The zones that are found instead.
    var zones: @Sendable (_ found: [StoredZone], _ ids: Set<RecordZone.ID>?) -> [StoredZone] = { found, _ in found }
    /// The zones that are added instead.
    var addedZones: @Sendable ([StoredZone]) -> [StoredZone] = { $0 }
    /// The zones that are removed instead.
    var removedZones: @Sendable ([RecordZone.ID]) -> [RecordZone.ID] = { $0 }
    /// The zones that are marked as changed instead.
    var markedZones: @Sendable ([RecordZone.ID]) -> [RecordZone.ID] = { $0 }
    /// The number of the first deletion that is stored instead.
    var deletionNumber: @Sendable (Int64) -> Int64 = { $0 }
    /// Whether old deletions are ever forgotten.
    var forgets = true
    /// The highest sequence number that is told instead.
    var lastNumber: @Sendable (Int64) -> Int64 = { $0 }
    /// The timelines that numbers are said to be on instead; `nil` for the right ones.
    var timelines: (@Sendable (_ numbers: [Int64]) -> [Int64?])?
    /// The number since which changes are read instead.
    var since: @Sendable (Int64) -> Int64 = { $0 }
    /// The changes that are read instead.
    var changes: @Sendable ([StoredChange]) -> [StoredChange] = { $0 }
    /// The changes of zones that are read instead.
    var zoneChanges: @Sendable ([StoredZoneChange]) -> [StoredZoneChange] = { $0 }
    /// The subscriptions that are found instead.
    var subscriptions: @Sendable ([StoredSubscription]) -> [StoredSubscription] = { $0 }
    /// The user whose subscriptions are looked for instead.
    var subscriber: @Sendable (String?) -> String? = { $0 }
    /// The subscriptions that are stored instead.
    var putSubscriptions: @Sendable ([StoredSubscription]) -> [StoredSubscription] = { $0 }
    /// The subscriptions that are removed instead.
    var removedSubscriptions: @Sendable ([Subscription.ID]) -> [Subscription.ID] = { $0 }
    /// The notifications that are stored instead.
    var posted: @Sendable ([StoredNotification]) -> [StoredNotification] = { $0 }
    /// The notifications that are read instead.
    var notifications: @Sendable ([StoredNotification]) -> [StoredNotification] = { $0 }
    /// The number since which notifications are read instead.
    var notifiedSince: @Sendable (Int64) -> Int64 = { $0 }
    /// The number up to which notifications are said to be forgotten instead.
    var expiration: @Sendable (Int64) -> Int64 = { $0 }
    /// The assets that are listed instead.
    var listedAssets: @Sendable ([StoredAsset]) -> [StoredAsset] = { $0 }
    /// The assets that are found by their checksums instead.
    var foundAssets: @Sendable (_ found: [StoredAsset?], _ checksums: [Asset.Checksum]) -> [StoredAsset?] = {
        found, _ in found
    }
    /// The assets that are said to be in use instead.
    var usedAssets: @Sendable (_ used: Set<Asset.Checksum>, _ all: [Asset.Checksum]) -> Set<Asset.Checksum> = {
        used, _ in used
    }
    /// The bytes of an asset that are read instead.
    var assetBytes: @Sendable (_ bytes: Data?, _ range: Range<Int64>) -> Data? = { bytes, _ in bytes }
    /// The bytes that are uploaded instead.
    var uploaded: @Sendable (Data) -> Data = { $0 }
    /// Whether an added asset is stored.
    var addsAssets = true
    /// Whether an upload's bytes are stored at once, and again by each transaction.
    var storesUploadsAtOnce = false
    /// The assets that are removed instead.
    var removedAssets: @Sendable ([Asset.Checksum]) -> [Asset.Checksum] = { $0 }
    /// Whether the files of assets have the mode 0644.
    var sharesFiles = false
    /// Whether uploads that are under way are taken for abandoned.
    var abandonsUploads = false
    /// The databases that are listed instead.
    var databases: @Sendable ([DatabaseKey]) -> [DatabaseKey] = { $0 }
    /// The damages that the store finds instead.
    var damages: @Sendable ([StoredDamage]) -> [StoredDamage] = { $0 }
    /// Whether rebuilding indexes loses the records without a name.
    var rebuildingLosesRecords = false
    /// The signals that are given instead.
    var signals: @Sendable (AsyncStream<Void>) -> AsyncStream<Void> = { $0 }
    /// Whether a removed zone's records stay.
    var zonesLeaveRecords = false
    /// Whether the references of a removed zone's records stay.
    var zonesLeaveReferences = false
    /// The plan that is run for a type with indexes instead.
    var indexedPlan: @Sendable (QueryPlan) -> QueryPlan = { $0 }
    /// Whether a page of one zone that an index orders is cut off before other zones' records are left out.
    var pagesCountOtherZones = false
    /// Whether a notification replaces those of all users with its key.
    var replacesOthersNotifications = false
    /// The number of snapshots that can be open at the same time.
    var openSnapshots = Int.max
    /// Whether types of rolled-back transactions are lost when the store is opened again.
    var losesUndoneTypes = false
    /// Whether the numbers of rolled-back transactions are skipped, until the store is opened again.
    var skipsUndoneNumbers = false
    /// Whether a store that is opened a second time is another store.
    var isAnotherStoreWhenShared = false
    /// Whether queries are run in a task of their own, which belongs to no request.
    var detachesQueries = false
    /// How transactions are run.
    var isolation = Isolation.full

    enum Isolation: Sendable {
        /// As they should be.
        case full
        /// Each call of a reader sees what is there at that moment.
        case liveReads
        /// A transaction that throws is kept.
        case noRollback
        /// Each call of a writer is a transaction of its own.
        case autocommit
        /// A writer sees what was there when it began, and is refused only if another one has written the same record since; its
        /// numbers are its own at once.
        case snapshots
        /// A closed backend goes on.
        case neverCloses
    }
}

extension StoredRecord {
    /// The record with every value replaced.
    func mapValues(_ transform: (FieldValue) -> FieldValue?) -> StoredRecord {
        var record = self
        record.fields = RecordFields(
            names: fields.names, values: fields.values.map { $0.flatMap(transform) }, isComplete: fields.isComplete)
        return record
    }
}
