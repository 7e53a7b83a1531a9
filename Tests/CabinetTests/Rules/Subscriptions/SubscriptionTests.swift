import Foundation
import Testing

@testable import Cabinet

@Suite("Subscriptions as values, and which changes fire them")
struct SubscriptionTests {
    @Test("Every subscription is restored from JSON")
    func coding() throws {
        let all: [Subscription] = [
            .query(
                QuerySubscription(
                    recordType: "Items", filter: try Filter("x > 3 AND name BEGINSWITH 'M'"), subscriptionID: "a",
                    zoneID: RecordZone.ID(zoneName: "Travel"), options: [.firesOnRecordCreation, .firesOnce],
                    desiredKeys: ["name"])),
            .recordZone(RecordZoneSubscription(zoneID: .default, subscriptionID: "b", recordType: "Items")),
            .database(DatabaseSubscription(subscriptionID: "c")),
        ]
        let data = try JSONEncoder().encode(all)
        #expect(try JSONDecoder().decode([Subscription].self, from: data) == all)
        #expect(all.map(\.subscriptionID) == ["a", "b", "c"])
        #expect(all.map(\.subscriptionType.rawValue) == [1, 2, 3])
    }

    @Test("Options have CloudKit's numbers, and an ID is a new one each time")
    func numbers() {
        let options: [QuerySubscription.Options] = [
            .firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion, .firesOnce,
        ]
        #expect(options.map(\.rawValue) == [1, 2, 4, 8])
        #expect(DatabaseSubscription().subscriptionID != DatabaseSubscription().subscriptionID)
        #expect(UUID(uuidString: DatabaseSubscription().subscriptionID) != nil)
    }

    @Test("A notification is restored from JSON, and its token is coded as one string")
    func notificationCoding() throws {
        let token = NotificationToken(
            positions: [
                .public: NotificationPosition(number: 3, end: TimelinePoint(number: 3)),
                .private: NotificationPosition(number: 5, end: TimelinePoint(number: 9, timeline: .min)),
            ], containerIdentifier: "c", userRecordName: "_anna")
        let notification = SubscriptionNotification(
            subscriptionID: "a", databaseScope: .private,
            event: .query(
                .init(
                    recordID: RecordID(recordName: "r"), reason: .recordUpdated, transition: .left,
                    recordFields: ["x": .int64(1)])), token: token)
        let data = try JSONEncoder().encode(notification)
        #expect(try JSONDecoder().decode(SubscriptionNotification.self, from: data) == notification)
        #expect(try JSONDecoder().decode(String.self, from: JSONEncoder().encode(token)).isEmpty == false)
        #expect(token.description == "public at 3, private at 5")
        for text in [#""""#, #""!""#, #""e30=""#] {
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(NotificationToken.self, from: Data(text.utf8))
            }
        }
    }

    @Test(
        "Each cell of the table, with each set of options",
        arguments: [nil, false, true] as [Bool?], [nil, false, true] as [Bool?])
    func table(before: Bool?, after: Bool?) {
        for bits in UInt(0)..<16 {
            let options = QuerySubscription.Options(rawValue: bits)
            let firing = SubscriptionTrigger.firing(options, before: before, after: after)
            let text = firing.map { "\($0.reason) \($0.transition)" }
            let expected: String? =
                switch (before, after) {
                case (nil, true): bits & 1 == 0 ? nil : "recordCreated entered"
                case (false, true): bits & 2 == 0 ? nil : "recordUpdated entered"
                case (true, true): bits & 2 == 0 ? nil : "recordUpdated stayed"
                case (true, false): bits & 2 == 0 ? nil : "recordUpdated left"
                case (true, nil): bits & 4 == 0 ? nil : "recordDeleted left"
                default: nil
                }
            #expect(text == expected)
        }
    }

    @Test("A change that cannot fire with any filter fires in no case", arguments: UInt(0)..<16)
    func canFire(bits: UInt) {
        let options = QuerySubscription.Options(rawValue: bits)
        for (existed, exists) in [(false, true), (true, true), (true, false)] {
            let fires = (existed ? [false, true] : [nil]).contains { before in
                (exists ? [false, true] : [nil]).contains { after in
                    SubscriptionTrigger.firing(options, before: before, after: after) != nil
                }
            }
            #expect(SubscriptionTrigger.canFire(options, existed: existed, exists: exists) == fires)
        }
    }

    @Test(
        "Only paths to other records are refused",
        arguments: [
            ("x == 1 AND name BEGINSWITH 'a'", nil), ("tags.@count == 2", nil), ("tags[SIZE] == 2", nil),
            ("tags.@max.SELF == 2", nil), ("list.name == 'a'", "list.name"),
            ("x == 1 OR NOT ANY lists.name == 'a'", "lists.name"), ("lists[0].name == 'a'", "name"),
            ("lists.@sum.number == 2", "lists.@sum.number"),
        ] as [(String, String?)])
    func paths(format: String, path: String?) throws {
        #expect(try Filter(format: format, arguments: []).pathToOthers == path)
    }

    @Test("A device's ID is checked, and is a new one unless it is given")
    func deviceID() throws {
        func container(_ deviceID: String) throws -> Container {
            try Container(identifier: "c", backend: MemoryBackend(), deviceID: deviceID)
        }
        #expect(try container("phone").deviceID == "phone")
        for name in ["", "a\nb", "ä"] { #expect(throws: CabinetError.self) { try container(name) } }
        let (one, other) = try (
            Container(identifier: "c", backend: MemoryBackend()), Container(identifier: "c", backend: MemoryBackend())
        )
        #expect(one.deviceID != other.deviceID)
    }
}
