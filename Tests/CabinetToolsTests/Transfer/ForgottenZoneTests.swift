import Cabinet
import CabinetTools
import Foundation
import Synchronization
import Testing

@Suite("Exports of databases that forget deletions of zones")
struct ForgottenZoneTests {
    @Test("A zone that is deleted during an export is left out, also if its deletion is forgotten", arguments: 0..<16)
    func deletion(beforeRead number: Int) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "cabinet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = MemoryBackend()
        let client = try Container(
            identifier: "source", backend: source, changeRetention: ChangeRetention(count: 0)
        ).privateDatabase
        let zones = ["A", "B"].map { RecordZone(zoneName: $0) }
        for zone in zones {
            try await client.save(zone)
            try await client.save(
                Record(recordType: "Items", recordID: RecordID(recordName: "r", zoneID: zone.zoneID)))
        }
        let rest = Mutex(number)
        let busy = BusyBackend(base: source) {
            let isDue = rest.withLock { rest in
                rest -= 1
                return rest == -1
            }
            if isDue { try await client.deleteRecordZone(withID: zones[0].zoneID) }
        }
        let file = folder.appending(path: "a.jsonl")
        let database = try Container(identifier: "source", backend: busy).privateDatabase
        try await DatabaseExport(of: database, to: file).run { _ in }
        let container = try Container(identifier: "copy", backend: MemoryBackend())
        var transfer = try await DatabaseImport(of: file, into: container.privateDatabase, of: container)
        try await transfer.run { _ in }
        let records = try await container.privateDatabase.allRecords(matching: Query(recordType: "Items"))
        let isDeleted = rest.withLock { $0 < 0 }
        #expect(records.map(\.recordID.zoneID.zoneName).sorted() == (isDeleted ? ["B"] : ["A", "B"]))
    }
}
