import Cabinet
import Testing

@Suite("The articles about zones and notifications: their programs run", .timeLimit(.minutes(15)))
struct Zones {
    private let backend = MemoryBackend()
    private let container: Container
    private var database: Database { container.privateDatabase }

    init() throws {
        container = try Container(identifier: "com.example.zones", backend: backend)
    }

    @Test func zones() async throws {
        // snippet: zone
        let zone = try await database.save(RecordZone(zoneName: "Travel"))
        let lisbon = RecordID(recordName: "lisbon", zoneID: zone.zoneID)
        var trip = Record(recordType: "Trips", recordID: lisbon)
        trip["name"] = "Lisbon"
        try await database.save(trip)
        // end

        // snippet: inZone
        let travel = database.inZone(zone.zoneID)
        var rome = travel.makeRecord("Trips", named: "rome")
        rome["name"] = "Rome"
        try await travel.save(rome)

        let trips = try await travel.allRecords(
            matching: Query(recordType: "Trips"))
        rome = try await travel.record(for: travel.recordID(named: "rome"))
        // end
        #expect(trips.count == 2)

        var copy: [RecordID: Record] = [:]
        var token: ServerChangeToken?
        // snippet: changes
        let pages = database.recordZoneChangeSequence(
            inZoneWith: zone.zoneID, since: token)
        for try await page in pages {
            for change in page.deletions { copy[change.recordID] = nil }
            for change in page.modifications {
                copy[change.record.recordID] = change.record
            }
            token = page.changeToken
        }
        // end
        #expect(copy.count == 2 && token != nil)

        let unsent = [travel.makeRecord("Trips")]
        // snippet: firstToken
        let (saveResults, _, changeToken) = try await database.modifyRecords(
            saving: unsent, deleting: [], inZoneWith: zone.zoneID)
        // end
        #expect(saveResults.count == 1)
        _ = changeToken
    }

    @Test func subscriptions() async throws {
        // snippet: subscribe
        let database = container.privateDatabase
        try await database.save(
            QuerySubscription(
                recordType: "Items", filter: .field("number") > 3,
                options: .firesOnRecordCreation))
        // end
        let tablet = try Container(identifier: "com.example.zones", backend: backend)
        let writer = Task {
            var item = Record(recordType: "Items")
            item["number"] = 4
            try await tablet.privateDatabase.save(item)
        }
        struct Heard: Error {}
        var changed: [RecordID] = []
        await #expect(throws: Heard.self) {
            try await listen(since: nil) { id in
                changed.append(try #require(id))
                throw Heard()
            }
        }
        try await writer.value
        #expect(changed.count == 1)
    }

    // snippet: listen
    func listen(
        since token: NotificationToken?,
        refresh: (RecordID?) async throws -> Void
    ) async throws {
        for try await notification in container.notifications(since: token) {
            if case .query(let event) = notification.event {
                try await refresh(event.recordID)
            } else {
                try await refresh(nil)  // Fetch all that the program shows.
            }
            // Store notification.token: the next launch continues after it.
        }
    }
    // end

    @Test func cloudKit() throws {
        // snippet: cloudKit
        let query = Query(
            recordType: "Items",
            filter: try Filter("list.name == 'Groceries' OR number > 3"))
        for part in query.validateForCloudKit() { print(part) }
        // end
        #expect(query.validateForCloudKit().count == 2)
    }
}
