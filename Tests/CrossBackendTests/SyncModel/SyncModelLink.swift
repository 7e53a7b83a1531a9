@testable import Cabinet
import Synchronization

/// A fault of an engine or a delegate, which the model must find.
enum SyncFault: String, CaseIterable {
    case droppedChange = "drops a pending change"
    case removalByID = "removes a change that was added again while it was sent"
    case tokenFirst = "stores a token before its page is applied"
    case overwriting = "overwrites a pending edit with what it fetches"
    case keptZone = "keeps a zone that was deleted"
}

/// Passes an engine's calls to a device's notes, with something that may happen before and after each.
final class SyncModelLink: SyncEngineDelegate {
    private unowned let model: SyncModel
    private let index: Int
    private let life: Int
    /// The page that a faulty engine reports after its token.
    private let late = Mutex<SyncEngine.Event?>(nil)
    /// The notes that a fetch of the whole zone has reported so far.
    private let reported = Mutex<Set<RecordID>?>(nil)

    init(model: SyncModel, index: Int, life: Int) {
        self.model = model
        self.index = index
        self.life = life
    }

    func nextRecordZoneChangeBatch(
        _ context: SyncEngine.SendChangesContext, syncEngine: SyncEngine
    ) async -> SyncEngine.RecordZoneChangeBatch? {
        await model.moment(index, life)
        guard await model.isAlive(index, life) else { return nil }
        if model.fault == .droppedChange, syncEngine.state.pendingRecordZoneChanges.count > 1 {
            syncEngine.state.remove(pendingRecordZoneChanges: [syncEngine.state.pendingRecordZoneChanges[0]])
        }
        let notes = await model.notes(index)
        guard let batch = await notes.nextRecordZoneChangeBatch(context, syncEngine: syncEngine) else { return nil }
        await model.moment(index, life)
        return await model.cut(batch)
    }

    func handleEvent(_ event: SyncEngine.Event, syncEngine: SyncEngine) async {
        await model.moment(index, life)
        switch (model.fault, event) {
        case (.tokenFirst, .fetchedRecordZoneChanges): late.withLock { $0 = event }
        case (.tokenFirst, .stateUpdate):
            await pass(event, syncEngine)
            await model.moment(index, life)
            let page = late.withLock { page in
                defer { page = nil }
                return page
            }
            if let page { await pass(page, syncEngine) }
        case (.removalByID, .sentRecordZoneChanges(let changes)):
            syncEngine.state.remove(
                pendingRecordZoneChanges: changes.savedRecords.map { .saveRecord($0.recordID) }
                    + changes.deletedRecordIDs.map { .deleteRecord($0) })
            await pass(event, syncEngine)
        case (.overwriting, .fetchedRecordZoneChanges(let changes)):
            await pass(event, syncEngine)
            for change in changes.modifications { await model.notes(index).overwrite(change.record) }
        case (.keptZone, .fetchedDatabaseChanges(let changes)):
            await pass(.fetchedDatabaseChanges(.init(modifications: changes.modifications)), syncEngine)
        default: await pass(event, syncEngine)
        }
        await model.moment(index, life)
    }

    /// Passes an event to the notes, which the device then stores.
    private func pass(_ event: SyncEngine.Event, _ engine: SyncEngine) async {
        guard await model.isAlive(index, life) else { return }
        let notes = await model.notes(index)
        for event in model.constants.sweeps ? await swept(event, notes) : [event] {
            await notes.handleEvent(event, syncEngine: engine)
        }
        await model.handled(event, notes.content, by: index)
    }

    /// Returns the events for a device that removes what a fetch of the whole zone has not reported at its end, and not all notes at
    /// its beginning.
    private func swept(_ event: SyncEngine.Event, _ notes: SyncedNotes) async -> [SyncEngine.Event] {
        switch event {
        case .fetchedRecordZoneChanges(let changes) where changes.zoneID == SyncModel.zoneID:
            reported.withLock { reported in
                if changes.isFromBeginning { reported = [] }
                reported?.formUnion(changes.modifications.map(\.record.recordID))
            }
            return [
                .fetchedRecordZoneChanges(
                    .init(
                        zoneID: changes.zoneID, modifications: changes.modifications, deletions: changes.deletions))
            ]
        case .didFetchRecordZoneChanges(let zone) where zone.zoneID == SyncModel.zoneID && zone.error == nil:
            let all = reported.withLock { reported in
                defer { reported = nil }
                return reported
            }
            guard let all else { return [event] }
            let others = await notes.content.records.keys.filter { !all.contains($0) }
            return [
                .fetchedRecordZoneChanges(
                    .init(
                        zoneID: zone.zoneID, deletions: others.map { .init(recordID: $0, recordType: "Notes") }))
            ]
        default: return [event]
        }
    }
}
