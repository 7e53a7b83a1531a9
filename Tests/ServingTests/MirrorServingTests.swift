import Cabinet
import CabinetMirror
import CabinetRemote
import CabinetSQLite
import Foundation
import ProgramTestSupport
import Testing

/// Mirrors of `cabinet serve`, over real connections, with real files.
@Suite("Mirrors of a server", .serialized)
struct MirrorServingTests {
    @Test(
        "Two devices, and one that joins late, have what a server has that is killed amidst their work",
        .timeLimit(.minutes(3)))
    func kills() async throws {
        let server = try await RestartedServer()
        let devices = [try MirroredDevice(server, "first"), try MirroredDevice(server, "second")]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, device) in devices.enumerated() {
                group.addTask {
                    for number in 0..<60 {
                        try await device.set("\(index).\(number)", of: "n\(number % 7)", field: "f\(index)")
                        try await device.set("\(index).\(number)", of: "own-\(index)-\(number)", field: "f")
                        if number % 9 == 8 { try await device.delete("own-\(index)-\(number - 4)") }
                        try await Task.sleep(for: .milliseconds(40))
                    }
                }
            }
            group.addTask {
                for pause in [0, 300, 100] {
                    try await Task.sleep(for: .milliseconds(700))
                    try await server.crash(for: .milliseconds(pause))
                }
            }
            try await group.waitForAll()
        }
        let third = try MirroredDevice(server, "third")
        let all = devices + [third]
        for device in all { try await device.waitUntilIdle() }
        let expected = try await server.client().privateDatabase.texts()
        // Each device has created 60 records of its own, and deleted 6 of them.
        let count = 7 + 2 * (60 - 6)
        #expect(expected.count == count)
        for number in 0..<7 {
            let last = (0..<60).last { $0 % 7 == number } ?? 0
            #expect(expected["n\(number)"] == ["f0": "0.\(last)", "f1": "1.\(last)"])
        }
        for device in all {
            let isEqual = try await device.eventuallyHas(expected)
            #expect(isEqual)
            await device.close()
            let store = server.folder.path(device.name)
            let outcome = try await Program.built("cabinet").run(["verify", "--store", store], in: server.folder)
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        }
        try await server.end()
        try await server.verify()
    }

    @Test("After a day without a network, 10,000 edits of each device arrive", .timeLimit(.minutes(5)))
    func airplane() async throws {
        let server = try await RestartedServer()
        let devices = [
            try MirroredDevice(server, "first", syncs: false), try MirroredDevice(server, "second", syncs: false),
        ]
        for device in devices {
            try await device.mirror.fetchChanges()
            for round in 0..<2 {
                for start in stride(from: 0, to: 5_000, by: 500) {
                    try await device.set("\(round)", of: (start..<start + 500).map { "\(device.name)-\($0)" })
                }
            }
        }
        let start = ContinuousClock.now
        for device in devices { try await device.mirror.sendChanges() }
        let sent = ContinuousClock.now
        for device in devices { try await device.mirror.fetchChanges() }
        let end = ContinuousClock.now
        print("10,000 edits of 5,000 records on each of two devices: sent in \(sent - start), fetched in \(end - sent)")
        for device in devices {
            #expect(device.mirror.status.isIdle)
            let texts = try await device.database.texts()
            #expect(texts.count == 10_000)
            #expect(texts.values.allSatisfy { $0 == ["f": "1"] })
            await device.close()
        }
        try await server.end()
        try await server.verify()
    }
}

/// A device whose store is a file.
private struct MirroredDevice: Sendable {
    let name: String
    let mirror: MirrorDatabaseService
    let database: Database

    init(_ server: RestartedServer, _ name: String, syncs: Bool = true) throws {
        self.name = name
        // The mirror waits and tries again itself.
        let remote = try server.client { $0.retryTimeLimit = .milliseconds(200) }
        var configuration = MirrorConfiguration()
        configuration.automaticallySyncs = syncs
        let store = SQLiteBackend(directory: URL(fileURLWithPath: server.folder.path(name)))
        mirror = try MirrorDatabaseService(mirroring: remote, in: store, configuration: configuration)
        database = try mirror.container().privateDatabase
    }

    func set(_ text: String, of name: String, field: String) async throws {
        let id = RecordID(recordName: name)
        for _ in 0..<100 {
            var record: Record
            do {
                record = try await database.record(for: id)
            } catch CabinetError.Code.unknownItem {
                record = Record(recordType: "Notes", recordID: id)
            }
            record[field] = text
            do {
                try await database.save(record)
                return
            } catch CabinetError.Code.serverRecordChanged {
                // The mirror has fetched a version in between.
                continue
            }
        }
        Issue.record("The record \(name) was not saved.")
    }

    func set(_ text: String, of names: [String]) async throws {
        let found = try await database.records(for: names.map { RecordID(recordName: $0) })
        let records = names.map { name in
            let id = RecordID(recordName: name)
            var record = Record(recordType: "Notes", recordID: id)
            if case .success(let known)? = found[id] { record = known }
            record["f"] = text
            return record
        }
        try await database.save(records)
    }

    func delete(_ name: String) async throws { try await database.deleteRecord(withID: RecordID(recordName: name)) }

    func waitUntilIdle() async throws {
        for await status in mirror.statuses where status.isIdle { return }
    }

    /// Waits until the device has what the server has.
    func eventuallyHas(_ texts: [String: [String: String]]) async throws -> Bool {
        for _ in 0..<600 {
            if try await database.texts() == texts { return true }
            try await Task.sleep(for: .milliseconds(50))
        }
        return false
    }

    func close() async { await mirror.close() }
}

extension Database {
    /// The texts of all records of the default zone.
    fileprivate func texts() async throws -> [String: [String: String]] {
        var found: [String: [String: String]] = [:]
        for try await page in recordZoneChangeSequence(inZoneWith: RecordZone.default().zoneID, since: nil) {
            for change in page.modifications {
                var texts: [String: String] = [:]
                for key in change.record.allKeys() { texts[key] = change.record[key] }
                found[change.record.recordID.recordName] = texts
            }
        }
        return found
    }
}
