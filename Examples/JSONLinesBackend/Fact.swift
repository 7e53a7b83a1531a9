import Cabinet
import Foundation

/// Something that has become true of a database.
///
/// Facts are results and not calls: they say what a zone is now, not that it was marked. Said in their order, they make the database.
enum Fact: Sendable, Codable {
    case numbersReserved(upTo: Int64)
    case fieldsAdded([StoredField], recordType: String)
    case indexesSet(Set<StoredIndex>, recordType: String)
    case zone(StoredZone)
    case zoneRemoved(RecordZone.ID, number: Int64)
    case record(StoredRecord)
    case deletion(StoredDeletion)
    case deletionsForgotten(RecordZone.ID, upTo: Int64)
    case subscription(StoredSubscription)
    case subscriptionRemoved(String, user: String)
    case notification(StoredNotification)
    case notificationsForgotten(user: String, upTo: Int64)
    case asset(StoredAsset, bytes: Data)
    case assetRemoved(Asset.Checksum)
}

/// What a transaction has made true of one database: a line of the file.
struct Line: Sendable, Codable {
    let database: DatabaseKey
    let facts: [Fact]
}
