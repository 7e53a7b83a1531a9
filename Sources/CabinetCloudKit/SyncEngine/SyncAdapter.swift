import Cabinet
import Synchronization

/// Passes what Cabinet's engine does to a delegate of CloudKit's.
final class SyncAdapter: SyncEngineDelegate {
    private struct Link: Sendable {
        weak var delegate: (any CKSyncEngineDelegate)?
        weak var engine: CKSyncEngine?
        /// Whether the delegate has handled a state.
        var hasPassedState = false
    }

    private let link: Mutex<Link>
    private let container: String
    private let automaticallySync: Bool
    private let subscriptionID: CKSubscription.ID?
    /// The service of the store, or `nil` if the store cannot be opened.
    private let service: (any DatabaseService)?

    /// The objects of the records that are being sent, which are updated when they are saved, by the IDs that stores have.
    private let sending = Mutex<[RecordID: Sent]>([:])

    private struct Sent: Sendable {
        let object: CKRecord
        let value: Record
    }

    /// The record name of the user.
    private let user: String?
    private var ownerRule: OwnerRule { OwnerRule(user: user) }

    /// Whether the default zone is left out, which has no changes in CloudKit.
    let hidesDefaultZone: Bool

    init(_ configuration: CKSyncEngine.Configuration, engine: CKSyncEngine) {
        link = Mutex(Link(delegate: configuration.delegate, engine: engine))
        container = configuration.database.identifier
        (automaticallySync, subscriptionID) = (configuration.automaticallySync, configuration.subscriptionID)
        let store = try? configuration.database.store()
        service = store?.service
        user = store?.user
        hidesDefaultZone = store?.rules.isOn ?? true
    }

    /// Passes events to another engine from now on, unless the delegate has a state to create that engine from.
    ///
    /// - Parameter configuration: The settings of that engine. The settings, the store and the delegate have to be the same: another
    ///   delegate may have the address of one that no longer exists.
    func isContinued(by engine: CKSyncEngine, with configuration: CKSyncEngine.Configuration) -> Bool {
        guard configuration.stateSerialization == nil, configuration.automaticallySync == automaticallySync,
            configuration.subscriptionID == subscriptionID, let service,
            let other = try? configuration.database.store().service,
            (other as AnyObject) === (service as AnyObject)
        else { return false }
        return link.withLock { link in
            if link.hasPassedState || link.delegate !== configuration.delegate { return false }
            link.engine = engine
            return true
        }
    }

    private var receiver: (delegate: any CKSyncEngineDelegate, engine: CKSyncEngine)? {
        link.withLock { link in
            guard let delegate = link.delegate, let engine = link.engine else { return nil }
            return (delegate, engine)
        }
    }

    func handleEvent(_ event: SyncEngine.Event, syncEngine: SyncEngine) async {
        guard let (delegate, engine) = receiver, let converted = converted(event) else { return }
        await delegate.handleEvent(converted, syncEngine: engine)
        if case .stateUpdate = event { link.withLock { $0.hasPassedState = true } }
    }

    func nextRecordZoneChangeBatch(
        _ context: SyncEngine.SendChangesContext, syncEngine: SyncEngine
    ) async -> SyncEngine.RecordZoneChangeBatch? {
        guard let (delegate, engine) = receiver else { return nil }
        guard let batch = await delegate.nextRecordZoneChangeBatch(.init(context), syncEngine: engine) else {
            return nil
        }
        for record in batch.recordsToSave { record.resolveUser(user) }
        let sent = batch.recordsToSave.map { Sent(object: $0, value: $0.value) }
        sending.withLock { objects in
            objects = Dictionary(
                sent.map { (ownerRule.canonical($0.value.recordID), $0) }, uniquingKeysWith: { $1 })
        }
        return SyncEngine.RecordZoneChangeBatch(
            recordsToSave: sent.map(\.value), recordIDsToDelete: batch.recordIDsToDelete.map(\.value),
            atomicByZone: batch.atomicByZone)
    }

    func nextFetchChangesOptions(
        _ context: SyncEngine.FetchChangesContext, syncEngine: SyncEngine
    ) async -> SyncEngine.FetchChangesOptions {
        guard let (delegate, engine) = receiver else { return context.options }
        var options = await delegate.nextFetchChangesOptions(.init(context), syncEngine: engine).value
        guard hidesDefaultZone else { return options }
        switch options.scope {
        case .all: options.scope = .allExcluding([.default])
        case .allExcluding(let zones): options.scope = .allExcluding(zones + [.default])
        case .zoneIDs(let zones): options.scope = .zoneIDs(zones.filter { $0 != .default })
        }
        return options
    }
}

extension SyncAdapter {
    /// Returns an event as CloudKit has it, or `nil` if it is about the default zone alone, or about an empty zone.
    private func converted(_ event: SyncEngine.Event) -> CKSyncEngine.Event? {
        switch event {
        case .stateUpdate(let update): .stateUpdate(.init(stateSerialization: .init(update.stateSerialization)))
        case .accountChange(let change): .accountChange(.init(changeType: .init(change.changeType)))
        case .fetchedDatabaseChanges(let changes): converted(changes).map { .fetchedDatabaseChanges($0) }
        case .fetchedRecordZoneChanges(let changes):
            changes.modifications.isEmpty && changes.deletions.isEmpty
                ? nil : .fetchedRecordZoneChanges(.init(changes, user))
        case .sentDatabaseChanges(let changes): .sentDatabaseChanges(.init(changes))
        case .sentRecordZoneChanges(let changes): .sentRecordZoneChanges(converted(changes))
        case .willFetchChanges(let fetch): .willFetchChanges(.init(context: .init(fetch.context)))
        case .willFetchRecordZoneChanges(let zone): .willFetchRecordZoneChanges(.init(zoneID: .init(zone.zoneID)))
        case .didFetchRecordZoneChanges(let zone):
            .didFetchRecordZoneChanges(.init(zoneID: .init(zone.zoneID), error: zone.error.map { CKError($0) }))
        case .didFetchChanges(let fetch): .didFetchChanges(.init(context: .init(fetch.context)))
        case .willSendChanges(let send): .willSendChanges(.init(context: .init(send.context)))
        case .didSendChanges(let send): .didSendChanges(.init(context: .init(send.context)))
        }
    }

    private func converted(
        _ changes: SyncEngine.Event.FetchedDatabaseChanges
    ) -> CKSyncEngine.Event.FetchedDatabaseChanges? {
        let modifications = changes.modifications.filter { !hidesDefaultZone || $0.zoneID != .default }
        if modifications.isEmpty, changes.deletions.isEmpty { return nil }
        return .init(
            modifications: modifications.map { .init(zoneID: CKRecordZone.ID($0.zoneID)) },
            deletions: changes.deletions.map { .init($0) })
    }

    /// Updates the objects that were saved.
    private func converted(
        _ changes: SyncEngine.Event.SentRecordZoneChanges
    ) -> CKSyncEngine.Event.SentRecordZoneChanges {
        let sent = sending.withLock { objects in
            defer { objects = [:] }
            return objects
        }
        let saved = changes.savedRecords.map { record -> CKRecord in
            guard let item = sent[ownerRule.canonical(record.recordID)] else { return .object(record, of: user) }
            item.object.adopt(record, sent: item.value, of: user)
            return item.object
        }
        let failed = changes.failedRecordSaves.map { failure in
            let item = sent[ownerRule.canonical(failure.record.recordID)]
            let object = item?.object ?? .object(failure.record, of: user)
            let error = CKError(failure.error, client: object, of: user)
            return CKSyncEngine.Event.SentRecordZoneChanges.FailedRecordSave(record: object, error: error)
        }
        return .init(
            savedRecords: saved, failedRecordSaves: failed,
            deletedRecordIDs: changes.deletedRecordIDs.map { CKRecord.ID($0) },
            failedRecordDeletes: Dictionary(
                changes.failedRecordDeletes.map { (CKRecord.ID($0), CKError($1)) }, uniquingKeysWith: { $1 }))
    }
}
