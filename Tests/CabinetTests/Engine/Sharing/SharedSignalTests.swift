import Cabinet
import CabinetTesting
import Testing

@Suite("The signals of the shared database", .timeLimit(.minutes(15)))
struct SharedSignalTests {
    @Test("A read of the owners that fails is repeated, so that their changes are not missed")
    func repetition() async throws {
        let backend = FaultInjectingBackend()
        let service = try LocalDatabaseService(backend: backend)
        let (anna, ben) = (
            try SharedZone.container(of: "_anna", service), try SharedZone.container(of: "_ben", service)
        )
        try await SharedZone.share(anna, with: ben, .readOnly)
        backend.inject(.failure(.zoneBusy), on: .read, of: .shared(owner: "_ben"))
        var counts = ben.sharedDatabase.observeCount(
            matching: Query(recordType: "Items"), inZoneWith: SharedZone.shared("", of: "_anna").zoneID
        ).makeAsyncIterator()
        #expect(try await counts.next() == 0)
        try await anna.privateDatabase.save(Record(recordType: "Items", recordID: SharedZone.own("milk")))
        #expect(try await counts.next() == 1)
        #expect(backend.injections.isEmpty)
    }
}
