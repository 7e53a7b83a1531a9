@testable import Cabinet
import CabinetTesting
import Foundation
import Testing

@Suite("Pending changes of a sync engine")
struct PendingChangeListTests {
    @Test("are in their order, one for each record, the last one of its kind")
    func order() throws {
        var generator = SeededGenerator(seed: 11)
        var (list, model) = (PendingChangeList<Int>(), [(id: Int, isSave: Bool)]())
        for number in 0..<2_000 {
            let new = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
                PendingChangeList<Int>.Change(
                    isSave: .random(using: &generator), id: .random(in: 0..<9, using: &generator))
            }
            if number % 3 == 0 {
                list.remove(new)
                for change in new { model.removeAll { $0 == (change.id, change.isSave) } }
            } else {
                list.add(new, number: number)
                let last = Dictionary(new.map { ($0.id, $0.isSave) }, uniquingKeysWith: { $1 })
                model.removeAll { last[$0.id] == !$0.isSave }
                for change in new where !model.contains(where: { $0.id == change.id }) {
                    model.append((change.id, last[change.id] ?? change.isSave))
                }
            }
            #expect(list.changes.map(\.id) == model.map(\.id))
            #expect(list.changes.map(\.isSave) == model.map(\.isSave))
        }
        let copy = try JSONDecoder().decode(PendingChangeList<Int>.self, from: JSONEncoder().encode(list))
        #expect(copy.changes.map(\.id) == model.map(\.id))
    }

    @Test("of an item with two IDs are replaced by the later one, also if it has kept its position")
    func otherIDs() {
        var list = PendingChangeList<Int>()
        list.add([.init(isSave: false, id: 1), .init(isSave: true, id: 2)], number: 1)
        list.add([.init(isSave: true, id: 11), .init(isSave: false, id: 12)], number: 2)
        list.add([.init(isSave: true, id: 2)], number: 3)
        list.removeReplaced { $0 % 10 }
        #expect(list.changes.map(\.id) == [2, 11])
        list.remove([.init(isSave: true, id: 11)])
        #expect(list.changes.map(\.id) == [2])
    }

    @Test("are sent once under both names of the owner of their zone")
    func ownerNames() async throws {
        let database = try Container(
            identifier: "com.example.sync", backend: MemoryBackend(), account: Account(userRecordName: "_ann")
        ).privateDatabase
        let zoneIDs = [
            RecordZone.ID(zoneName: "Notes"), RecordZone.ID(zoneName: "Notes", ownerName: "_ann"),
        ]
        let delegate = NoteSender()
        let engine = SyncEngine(
            SyncEngine.Configuration(
                database: database, stateSerialization: nil, delegate: delegate, automaticallySync: false))
        for zoneID in zoneIDs {
            engine.state.add(pendingDatabaseChanges: [.saveZone(RecordZone(zoneID: zoneID))])
            let id = RecordID(recordName: "a", zoneID: zoneID)
            let change: SyncEngine.PendingRecordZoneChange =
                zoneID == zoneIDs[0] ? .deleteRecord(id) : .saveRecord(id)
            engine.state.add(pendingRecordZoneChanges: [change])
        }
        try await engine.sendChanges()
        #expect(engine.state.pendingRecordZoneChanges.isEmpty && engine.state.pendingDatabaseChanges.isEmpty)
        let saved = try await database.record(for: RecordID(recordName: "a", zoneID: zoneIDs[0]))
        #expect(saved.recordType == "Notes")
        withExtendedLifetime(delegate) {}
    }
}

/// A delegate that saves every pending record.
private final class NoteSender: SyncEngineDelegate {
    func handleEvent(_ event: SyncEngine.Event, syncEngine: SyncEngine) async {}

    func nextRecordZoneChangeBatch(
        _ context: SyncEngine.SendChangesContext, syncEngine: SyncEngine
    ) async -> SyncEngine.RecordZoneChangeBatch? {
        await SyncEngine.RecordZoneChangeBatch(pendingChanges: syncEngine.state.pendingRecordZoneChanges) {
            Record(recordType: "Notes", recordID: $0)
        }
    }
}
