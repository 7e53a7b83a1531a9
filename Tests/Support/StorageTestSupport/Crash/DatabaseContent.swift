package import Cabinet
import Foundation

/// The content that a user finds in a database, without dates and change tags: equal content of two stores is equal here.
package struct DatabaseContent: Sendable, Hashable, CustomStringConvertible {
    /// The zones, the schema, and each record with its fields and the bytes of its assets.
    package private(set) var records: [String] = []

    /// The rest of the database: deletions, results of queries by indexes, subscriptions and notifications.
    package private(set) var others: [String] = []

    /// Reads everything.
    package init(_ container: Container) async throws {
        let database = container.privateDatabase
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        records.append(String(decoding: try encoder.encode(try await database.schema()), as: UTF8.self))
        for zone in try await database.allRecordZones().sorted(by: { $0.zoneID.zoneName < $1.zoneID.zoneName }) {
            records.append("zone \(zone.zoneID.zoneName)")
            for try await page in database.recordZoneChangeSequence(inZoneWith: zone.zoneID, since: nil) {
                for change in page.modifications { records.append(try await Self.line(change.record)) }
                for deletion in page.deletions { others.append("deleted \(deletion.recordID) \(deletion.recordType)") }
            }
            let names = try await database.allRecords(
                matching: Query(recordType: "Items", sortedBy: ["name"]), inZoneWith: zone.zoneID
            ).map(\.recordID.recordName)
            others.append("sorted \(zone.zoneID.zoneName): \(names)")
        }
        for subscription in try await database.allSubscriptions() { others.append("\(subscription.subscriptionID)") }
        for notification in try await container.fetchNotifications(since: nil, includingOwnChanges: true).notifications
        {
            others.append("\(notification.subscriptionID): \(notification.event.line)")
        }
        records.sort()
        others.sort()
    }

    private static func line(_ record: Record) async throws -> String {
        var line = "\(record.recordType) \(record.recordID)"
        for key in record.allKeys().sorted() {
            let value = record[key]
            let assets = (value as? Asset).map { [$0] } ?? value as? [Asset] ?? []
            var text = assets.isEmpty ? "\(value.map { "\($0)" } ?? "nil")" : ""
            for asset in assets {
                let data = try await asset.data()
                text += " \(data.count) bytes \(String(decoding: data.prefix(20), as: UTF8.self))"
            }
            line += " \(key)=\(text)"
        }
        return line
    }

    package var description: String { (records + others).joined(separator: "\n") }
}

extension SubscriptionNotification.Event {
    /// The change, in a line that stays equal when the type gets more properties.
    package var line: String {
        switch self {
        case .query(let event): "\(event.recordID) \(event.reason)"
        case .recordZone(let zoneID): "\(zoneID.zoneName)"
        case .database: "database"
        default: "\(self)"
        }
    }
}
