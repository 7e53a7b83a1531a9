import Cabinet
import CabinetTesting
import Foundation
import Testing

@testable import CabinetTools

@Suite("Lines that an import defers to its end")
struct DeferredLineTests {
    private let container: Container

    init() throws {
        container = try Container(identifier: "test", backend: MemoryBackend())
    }

    /// Imports lines, and returns the reported losses.
    private func importing(_ lines: String...) async throws -> [String] {
        try await importing(lines, into: container, batchSize: 1)
    }

    private func importing(
        _ lines: [String], into container: Container, batchSize: Int = 500
    ) async throws -> [String] {
        let file = FileManager.default.temporaryDirectory.appending(path: "cabinet-\(UUID().uuidString).jsonl")
        defer { try? FileManager.default.removeItem(at: file) }
        try lines.map { $0 + "\n" }.joined().write(to: file, atomically: true, encoding: .utf8)
        var transfer = try await DatabaseImport(of: file, into: container.privateDatabase, of: container)
        transfer.batchSize = batchSize
        var losses: [String] = []
        try await transfer.run { if case .loss(let text) = $0 { losses.append(text) } }
        #expect(transfer.lossCount == losses.count)
        return losses
    }

    @Test("A unique value that a later line frees is imported")
    func uniqueValues() async throws {
        let losses = try await importing(
            #"{"cabinet":1,"schema":"DEFINE SCHEMA RECORD TYPE T (name STRING QUERYABLE, UNIQUE (name));"}"#,
            #"{"recordName":"x","recordType":"T","fields":{"name":"a"}}"#,
            #"{"recordName":"y","recordType":"T","fields":{"name":"a"}}"#,
            #"{"recordName":"x","recordType":"T","fields":{"name":"b"}}"#)
        #expect(losses == [])
        let records = try await container.privateDatabase.records(for: ["x", "y"])
        #expect(try records["x"]?.get()["name"] as? String == "b")
        #expect(try records["y"]?.get()["name"] as? String == "a")
    }

    private static let denial = [
        #"{"recordName":"target","recordType":"T","fields":{"x":1}}"#,
        #"{"recordName":"owner","recordType":"T","fields":{"target":{"reference":"target","action":"deny"}}}"#,
        #"{"deleted":{"recordName":"target","recordType":"T"}}"#,
    ]

    @Test("A deletion that an earlier line denies is made once a later line allows it")
    func deletion() async throws {
        let losses = try await importing(
            Self.denial[0], Self.denial[1], Self.denial[2], #"{"recordName":"owner","recordType":"T","fields":{"x":2}}"#
        )
        #expect(losses == [])
        let records = try await container.privateDatabase.records(for: ["target", "owner"])
        #expect(throws: CabinetError.self) { try records["target"]?.get() }
        #expect(try records["owner"]?.get()["x"] as? Int == 2)
    }

    @Test("A deletion that stays denied is passed over and named")
    func deniedDeletion() async throws {
        let losses = try await importing(Self.denial[0], Self.denial[1], Self.denial[2])
        #expect(losses.count == 1 && losses[0].hasPrefix("The record target was not deleted. "), "\(losses)")
        #expect(try await container.privateDatabase.record(for: "owner")["target"] != nil)
    }

    @Test("An export whose last batch ends with its last record is continued after a failure of any write")
    func interruption() async throws {
        let lines = [
            #"{"cabinet":2,"schema":"DEFINE SCHEMA RECORD TYPE T (target REFERENCE);"}"#,
            #"{"recordName":"a","recordType":"T","fields":{"target":{"reference":"c","action":"deleteSelf"}}}"#,
            #"{"recordName":"b","recordType":"T","fields":{"target":{"reference":"c","action":"deleteSelf"}}}"#,
            #"{"recordName":"c","recordType":"T","fields":{}}"#, #"{"end":4}"#,
        ]
        var failures = 0
        for number in 1...20 {
            let backend = FaultInjectingBackend(MemoryBackend())
            let container = try Container(identifier: "test", backend: backend)
            let file = FileManager.default.temporaryDirectory.appending(path: "cabinet-\(UUID().uuidString).jsonl")
            defer { try? FileManager.default.removeItem(at: file) }
            try lines.map { $0 + "\n" }.joined().write(to: file, atomically: true, encoding: .utf8)
            func run() async throws {
                var transfer = try await DatabaseImport(of: file, into: container.privateDatabase, of: container)
                transfer.batchSize = 1
                try await transfer.run { _ in }
                #expect(transfer.lossCount == 0)
            }
            backend.inject(.failure(.networkFailure), on: .write, at: number)
            do { try await run() } catch CabinetError.Code.networkFailure { failures += 1 }
            backend.removeAllInjections()
            try await run()
            for name in ["a", "b"] {
                let target = try await container.privateDatabase.record(for: RecordID(recordName: name))["target"]
                #expect((target as? Reference)?.recordID.recordName == "c", "write \(number)")
            }
        }
        #expect(failures > 5)
    }

    @Test("The share of another owner is passed over and named, and that of the user is imported")
    func shares() async throws {
        let shared = try await SharedSampleStore()
        let database = shared.anna.privateDatabase
        let other = RecordZone.ID(zoneName: "Whole")
        try await database.save(RecordZone(zoneID: other))
        var share = Share(recordZoneID: other)
        share.addParticipant(Share.Participant(userRecordName: "_ben", permission: .readOnly))
        try await database.save(share)
        let file = FileManager.default.temporaryDirectory.appending(path: "cabinet-\(UUID().uuidString).jsonl")
        defer { try? FileManager.default.removeItem(at: file) }
        try await DatabaseExport(of: database, to: file).run { _ in }
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
        let names = ["root", "stop", "other"].map(SharedSampleStore.id)
        for (user, lossCount) in [("_carl", 2), ("_anna", 0)] {
            let target = try SampleStore.container(over: MemoryBackend(), user: user)
            let losses = try await importing(lines, into: target)
            #expect(losses.count == lossCount && losses.allSatisfy { $0.hasPrefix("The share ") }, "\(losses)")
            let records = try await target.privateDatabase.records(for: names)
            #expect(records.values.allSatisfy { (try? $0.get()) != nil })
            let ids = [SharedSampleStore.shareID, share.recordID]
            let shares = try await target.privateDatabase.records(for: ids).compactMapValues { try? $0.get() }
            #expect(shares.count == 2 - lossCount)
        }
    }

    @Test("A share is imported without the participants of its URLs, who join by themselves")
    func guests() async throws {
        let backend = MemoryBackend()
        let (anna, ben) = try (
            SampleStore.container(over: backend, user: "_anna"), SampleStore.container(over: backend, user: "_ben")
        )
        let zone = RecordZone.ID(zoneName: "Open")
        try await anna.privateDatabase.save(RecordZone(zoneID: zone))
        var share = Share(recordZoneID: zone)
        share.publicPermission = .readOnly
        share = try await anna.privateDatabase.save(share)
        _ = try await ben.accept(ben.shareMetadata(for: #require(share.url)))
        let other = RecordZone.ID(zoneName: "Invited")
        try await anna.privateDatabase.save(RecordZone(zoneID: other))
        var invitation = Share(recordZoneID: other)
        invitation.addParticipant(.oneTimeURLParticipant())
        try await anna.privateDatabase.save(invitation)
        let file = FileManager.default.temporaryDirectory.appending(path: "cabinet-\(UUID().uuidString).jsonl")
        defer { try? FileManager.default.removeItem(at: file) }
        try await DatabaseExport(of: anna.privateDatabase, to: file).run { _ in }
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
        let target = try SampleStore.container(over: MemoryBackend(), user: "_anna")
        try await #expect(importing(lines, into: target) == [])
        for id in [share.recordID, invitation.recordID] {
            let imported = try Share(try await target.privateDatabase.record(for: id))
            #expect(imported.participants.map(\.role) == [.owner])
        }
    }
}
