public import Cabinet
import Foundation

/// The result of a copy: the content of both stores.
public struct CopyReport: Sendable, Hashable {
    /// The databases that are not empty.
    public let databases: [Database]

    /// A copied database.
    public struct Database: Sendable, Hashable {
        /// The database.
        public let database: DatabaseKey

        /// The content of both databases, which were read and found equal.
        public let content: StoreContent

        /// The amount that the last call has copied.
        ///
        /// Earlier, interrupted calls may have copied the rest.
        public let copied: CopyCounts
    }

    /// The amount that the last call has copied, in all databases.
    public var copied: CopyCounts {
        databases.reduce(into: CopyCounts()) { $0.add($1.copied) }
    }
}

extension CopyReport: CustomStringConvertible {
    /// A line for each database.
    public var description: String {
        databases.map { "\($0.database): \($0.content); copied: \($0.copied)" }.joined(separator: "\n")
    }
}

/// The copied content of a database.
public struct StoreContent: Sendable, Hashable {
    /// The number of zones; the default zone does not count.
    public internal(set) var zoneCount = 0

    /// The number of records, including user records.
    public internal(set) var recordCount = 0

    /// The number of assets; one that several records have counts once.
    public internal(set) var assetCount = 0

    /// The number of bytes of the assets.
    public internal(set) var assetBytes: Int64 = 0

    /// The number of subscriptions of all users.
    public internal(set) var subscriptionCount = 0

    /// The digest of the content: two databases with the same digest have the same content, in any kind of store.
    ///
    /// It is the SHA-256 checksum of the sum of the checksums of every part. A part is a field of the schema, an index,
    /// the rules of a record type, a zone, a subscription, an asset, or a record with all its fields, dates, users, parent and change tag. The
    /// digest does not depend on the order in which a store keeps the parts.
    public internal(set) var digest = Asset.Checksum(of: Data())
}

extension StoreContent: CustomStringConvertible {
    /// The counts and the digest: `12 records, 2 zones, 1 asset (300 bytes), 0 subscriptions, digest 5f…`.
    public var description: String {
        "\(recordCount.counted("record")), \(zoneCount.counted("zone")), \(assetCount.counted("asset")) "
            + "(\(assetBytes.counted("byte"))), \(subscriptionCount.counted("subscription")), digest \(digest)"
    }
}

/// The amount that a copy has written.
public struct CopyCounts: Sendable, Hashable {
    /// Creates counts of zero.
    public init() {}

    /// The number of written records.
    public internal(set) var savedRecords = 0

    /// The number of written records that the target lacked in every version.
    public internal(set) var newRecords = 0

    /// The number of records that were removed because the source no longer has them, excluding those of removed zones.
    public internal(set) var removedRecords = 0

    /// The number of zones that were added or removed.
    public internal(set) var changedZones = 0

    /// The number of subscriptions that were written or removed.
    public internal(set) var changedSubscriptions = 0

    /// The number of assets whose bytes were copied.
    public internal(set) var assets = 0

    /// The number of bytes of these assets.
    public internal(set) var assetBytes: Int64 = 0

    /// The number of written or removed records, zones and subscriptions.
    ///
    /// A further pass has about this much work if the source changes at the same rate.
    public var changeCount: Int { savedRecords + removedRecords + changedZones + changedSubscriptions }

    mutating func add(_ other: CopyCounts) {
        savedRecords += other.savedRecords
        newRecords += other.newRecords
        removedRecords += other.removedRecords
        changedZones += other.changedZones
        changedSubscriptions += other.changedSubscriptions
        assets += other.assets
        assetBytes += other.assetBytes
    }
}

extension CopyCounts: CustomStringConvertible {
    /// The counts: `12 records saved, 0 removed, 2 zones, 0 subscriptions, 1 asset (300 bytes)`.
    public var description: String {
        "\(savedRecords.counted("record")) saved, \(removedRecords) removed, \(changedZones.counted("zone")), "
            + "\(changedSubscriptions.counted("subscription")), \(assets.counted("asset")) (\(assetBytes.counted("byte")))"
    }
}
