import Testing

@testable import Cabinet

@Suite("The entries of one-time URLs")
struct OneTimeURLEntryTests {
    private let backend = MemoryBackend()
    private let anna: Container
    private let ben: Container
    private let dora: Container

    init() throws {
        let service = try LocalDatabaseService(backend: backend)
        anna = try SharedZone.container(of: "_anna", service)
        ben = try SharedZone.container(of: "_ben", service)
        dora = try SharedZone.container(of: "_dora", service)
    }

    private func count() async throws -> Int {
        try await backend.read(.public) { try await $0.entries(in: StorageKey.all("share"), limit: 1_000).count }
    }

    /// Saves a share with a further participant that no user is.
    private func saveGuest(in share: Share, _ database: Database, beside records: [Record] = []) async throws {
        var share = share
        share.addParticipant(.oneTimeURLParticipant())
        _ = try await database.modifyRecords(saving: [share.record] + records, deleting: [])
    }

    @Test("A refused save of a share leaves none")
    func refusals() async throws {
        let database = anna.privateDatabase
        try await SharedZone.share(anna, with: ben, .readOnly)
        let stale = try await database.share(forZoneWith: SharedZone.zoneID)
        var changed = stale
        changed["color"] = 1
        let current = try await database.save(changed)
        let existing = try await count()
        await #expect(throws: CabinetError.self) { try await saveGuest(in: stale, database) }
        await #expect(throws: CabinetError.self) {
            try await saveGuest(in: Share(recordZoneID: RecordZone.ID(zoneName: "None")), database)
        }
        var item = Record(recordType: "Items", recordID: SharedZone.own("milk"))
        item["list"] = Reference(recordID: SharedZone.own("none"), action: .deleteSelf)
        let dangling = item
        await #expect(throws: CabinetError.self) {
            try await saveGuest(in: current, database, beside: [dangling])
        }
        let seen = try await ben.sharedDatabase.share(forZoneWith: SharedZone.shared("", of: "_anna").zoneID)
        await #expect(throws: CabinetError.self) { try await saveGuest(in: seen, ben.sharedDatabase) }
        #expect(try await count() == existing)
        try await saveGuest(in: current, database)
        #expect(try await count() == existing + 1)
    }

    @Test("That of a participant goes when the participant is removed or leaves, or the share is deleted")
    func removals() async throws {
        let database = anna.privateDatabase
        try await SharedZone.share(anna, with: ben, .readOnly)
        let existing = try await count()
        let guests = (0..<3).map { _ in Share.Participant.oneTimeURLParticipant() }
        var share = try await database.share(forZoneWith: SharedZone.zoneID)
        for guest in guests { share.addParticipant(guest) }
        share = try await database.save(share)
        #expect(try await count() == existing + 3)
        let url = try #require(share.oneTimeURL(for: guests[0].participantID))
        try await dora.accept(try await dora.shareMetadata(for: url))
        #expect(try await count() == existing + 3)
        try await dora.sharedDatabase.deleteRecord(withID: SharedZone.shared(Share.zoneWideRecordName, of: "_anna"))
        #expect(try await count() == existing + 2)
        share = try await database.share(forZoneWith: SharedZone.zoneID)
        share.removeParticipant(guests[1])
        share = try await database.save(share)
        #expect(try await count() == existing + 1)
        try await database.deleteRecord(withID: share.recordID)
        #expect(try await count() == existing)
    }
}
