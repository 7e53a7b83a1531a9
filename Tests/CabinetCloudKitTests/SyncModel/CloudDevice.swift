import CabinetCloudKit
import Synchronization

/// A fault of an engine or a delegate, which the model must find.
enum CloudSyncFault: String, CaseIterable {
    case removalByID = "removes a change that was added again while it was sent"
    case droppedChange = "drops a pending change"
    case overwriting = "overwrites a pending edit with what it fetches"
}

/// A device of the model: a program's notes, which a sync engine keeps in step with a database.
///
/// The program is that of the article "Sync engines", with CloudKit's classes.
final class CloudDevice: CKSyncEngineDelegate {
    private struct Content {
        var texts: [String: String] = [:]
        /// The last version of each record that the database has returned.
        var records: [String: CKRecord] = [:]
        /// The notes with an edit that the database does not have.
        var edited: Set<String> = []
    }

    private let content = Mutex(Content())
    private unowned let model: CloudSyncModel
    private let index: Int

    init(_ model: CloudSyncModel, _ index: Int) { (self.model, self.index) = (model, index) }

    func engine(_ database: CKDatabase) -> CKSyncEngine {
        var configuration = CKSyncEngine.Configuration(database: database, stateSerialization: nil, delegate: self)
        configuration.automaticallySync = false
        return CKSyncEngine(configuration)
    }

    var texts: [String: String] { content.withLock(\.texts) }

    func isSent(_ engine: CKSyncEngine) -> Bool {
        content.withLock(\.edited.isEmpty) && engine.state.pendingRecordZoneChanges.isEmpty
    }

    /// Edits a note; `nil` deletes it.
    func edit(_ name: String, _ text: String?, _ engine: CKSyncEngine) {
        let change = content.withLock { content in
            content.texts[name] = text
            content.edited.insert(name)
            return Self.change(of: name, content)
        }
        engine.state.add(pendingRecordZoneChanges: [change])
    }

    private static func id(_ name: String) -> CKRecord.ID {
        CKRecord.ID(recordName: name, zoneID: CloudSyncModel.zoneID)
    }

    private static func change(of name: String, _ content: Content) -> CKSyncEngine.PendingRecordZoneChange {
        content.texts[name] == nil ? .deleteRecord(id(name)) : .saveRecord(id(name))
    }

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? {
        await model.moment(index)
        let pending = syncEngine.state.pendingRecordZoneChanges.filter(context.options.scope.contains)
        if model.fault == .droppedChange, pending.count > 1 {
            syncEngine.state.remove(pendingRecordZoneChanges: [pending[0]])
        }
        let batch = await CKSyncEngine.RecordZoneChangeBatch(
            pendingChanges: Array(pending.prefix(model.batchSize))
        ) { id in
            content.withLock { content in
                guard let text = content.texts[id.recordName] else { return nil }
                let record = content.records[id.recordName] ?? CKRecord(recordType: "Notes", recordID: id)
                record["text"] = text
                return record
            }
        }
        await model.moment(index)
        return batch
    }

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        // The engine reports states in tasks of their own, whose moments are not the seed's.
        if case .stateUpdate = event { return }
        if case .fetchedRecordZoneChanges(let changes) = event {
            let names = changes.modifications.map { "+\($0.record.recordID.recordName)" }
            await model.note("device \(index) learns \(names + changes.deletions.map { "-\($0.recordID.recordName)" })")
        }
        await model.moment(index)
        let (added, removed) = content.withLock { handle(event, &$0) }
        syncEngine.state.add(pendingRecordZoneChanges: added)
        syncEngine.state.remove(pendingRecordZoneChanges: removed)
        if case .sentRecordZoneChanges(let changes) = event {
            if changes.failedRecordSaves.contains(where: { $0.error.code == .zoneNotFound }) {
                syncEngine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: CloudSyncModel.zoneID))])
            }
            await model.note("device \(index) has sent \(Self.description(of: changes))")
        }
        await model.moment(index)
    }

    private static func description(of changes: CKSyncEngine.Event.SentRecordZoneChanges) -> [String] {
        changes.savedRecords.map { "+\($0.recordID.recordName)" }
            + changes.deletedRecordIDs.map { "-\($0.recordName)" }
            + changes.failedRecordSaves.map { "\($0.record.recordID.recordName) \($0.error.code)" }
    }

    /// Handles an event, and returns the changes that are pending again, and those that are not any more.
    private func handle(
        _ event: CKSyncEngine.Event, _ content: inout Content
    ) -> (added: [CKSyncEngine.PendingRecordZoneChange], removed: [CKSyncEngine.PendingRecordZoneChange]) {
        var added: [CKSyncEngine.PendingRecordZoneChange] = []
        var removed: [CKSyncEngine.PendingRecordZoneChange] = []
        /// Keeps what was sent; the note may have been edited since.
        func finish(_ name: String, _ record: CKRecord?) {
            content.records[name] = record
            if model.fault == .removalByID {
                removed.append(record == nil ? .deleteRecord(Self.id(name)) : .saveRecord(Self.id(name)))
            }
            guard content.texts[name] == record?["text"] else { return }
            content.edited.remove(name)
            removed.append(Self.change(of: name, content))
        }
        switch event {
        case .fetchedRecordZoneChanges(let changes):
            let isOverwritten = model.fault == .overwriting
            for record in changes.modifications.map(\.record) {
                let name = record.recordID.recordName
                content.records[name] = record
                if isOverwritten { content.edited.remove(name) }
                if !content.edited.contains(name) { content.texts[name] = record["text"] }
            }
            for name in changes.deletions.map(\.recordID.recordName) {
                content.records[name] = nil
                if !content.edited.contains(name) { content.texts[name] = nil }
            }
        case .sentRecordZoneChanges(let changes):
            for record in changes.savedRecords { finish(record.recordID.recordName, record) }
            for id in changes.deletedRecordIDs { finish(id.recordName, nil) }
            for (id, error) in changes.failedRecordDeletes where error.code == .zoneNotFound {
                finish(id.recordName, nil)
            }
            for failure in changes.failedRecordSaves {
                let name = failure.record.recordID.recordName
                switch failure.error.code {
                // This device's text replaces the other one's.
                case .serverRecordChanged: content.records[name] = failure.error.serverRecord
                case .zoneNotFound, .unknownItem: content.records[name] = nil
                default: continue
                }
                added.append(Self.change(of: name, content))
            }
        default: break
        }
        return (added, removed)
    }
}
