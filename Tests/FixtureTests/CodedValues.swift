import Cabinet
import Foundation

/// Each kind of value that programs keep between runs, of each database, in each of its forms.
///
/// `StoredValues` has values of one store, which are used in it.
struct CodedValues: Codable {
    var changeTokens: [ServerChangeToken] = []
    var notificationTokens: [NotificationToken] = []
    var cursors: [Query.Cursor] = []
    var subscriptions: [Subscription] = []
    var notifications: [SubscriptionNotification] = []

    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return encoder
    }()

    init(_ data: Data) throws { self = try JSONDecoder().decode(Self.self, from: data) }

    var data: Data { get throws { try Self.encoder.encode(self) } }

    /// Takes the values from a new store.
    init() async throws {
        let container = try Container(
            identifier: "org.cabinet.fixtures", backend: MemoryBackend(), account: Account(userRecordName: "_anna"))
        let query = Query(
            recordType: "Items", filter: .field("number") > 0, sortedBy: [Sort("name", ascending: false)])
        for database in [container.publicDatabase, container.privateDatabase] {
            let zone = try await database.save(RecordZone(zoneName: "Travel"))
            for number in 1...3 {
                var item = Record(
                    recordType: "Items", recordID: RecordID(recordName: "\(number)", zoneID: zone.zoneID))
                item["name"] = "Item \(number)"
                item["number"] = number
                item["price"] = 0.1 * Double(number)
                item["bought"] = Date(timeIntervalSinceReferenceDate: 1.1)
                try await database.save(item)
            }
            for sort in [query.sortDescriptors, [Sort("bought"), Sort("price")], []] {
                var sorted = query
                sorted.sortDescriptors = sort
                let page = try await database.records(matching: sorted, inZoneWith: zone.zoneID, resultsLimit: 1)
                if let cursor = page.queryCursor { cursors.append(cursor) }
            }
            changeTokens.append(try await database.databaseChanges(since: nil).changeToken)
            let first = try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: nil, resultsLimit: 1)
            let rest = try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: nil)
            changeTokens += [first.changeToken, rest.changeToken]
        }
        let zoneID = RecordZone.ID(zoneName: "Travel")
        subscriptions = [
            .query(
                QuerySubscription(
                    recordType: "Items", filter: query.filter, subscriptionID: "query", zoneID: zoneID,
                    options: [.firesOnRecordCreation, .firesOnce], desiredKeys: ["name"])),
            .recordZone(RecordZoneSubscription(zoneID: zoneID, subscriptionID: "zone", recordType: "Items")),
            .database(DatabaseSubscription(subscriptionID: "database")),
        ]
        let token = try await container.fetchNotifications(since: nil).token
        notificationTokens = [token]
        let id = RecordID(recordName: "1", zoneID: zoneID)
        let events: [SubscriptionNotification.Event] = [
            .query(
                .init(
                    recordID: id, reason: .recordUpdated, transition: .entered,
                    recordFields: ["name": .string("Item 1"), "price": .double(0.1)])),
            .recordZone(zoneID), .database, .manyChanges,
            .failure(.init(recordID: id, code: .limitExceeded, message: "The filter takes too much work.")),
            .failure(.init(recordID: nil, code: .invalidArguments, message: "The filter cannot be evaluated.")),
        ]
        notifications = events.map {
            SubscriptionNotification(subscriptionID: "query", databaseScope: .public, event: $0, token: token)
        }
    }
}
