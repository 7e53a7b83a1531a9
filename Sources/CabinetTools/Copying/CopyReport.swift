public import Cabinet
import Foundation

/// The result of a copy: what both stores hold.
public struct CopyReport: Sendable, Hashable {
    /// The databases that are not empty.
    public let databases: [Database]

    /// One database that was copied.
    public struct Database: Sendable, Hashable {
        /// The database.
        public let database: DatabaseKey

        /// What both databases hold, as it was read from them and found equal.
        public let content: StoreContent

        /// What the last call has copied; earlier, interrupted calls may have copied the rest.
        public let copied: CopyCounts
    }

    /// What the last call has copied, in all databases.
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

/// What a database holds, apart from what is not copied.
public struct StoreContent: Sendable, Hashable {
    /// The number of zones; the default zone does not count.
    public internal(set) var zoneCount = 0

    /// The number of records, users' own records among them.
    public internal(set) var recordCount = 0

    /// The number of assets; one that several records have counts once.
    public internal(set) var assetCount = 0

    /// The number of bytes of the assets.
    public internal(set) var assetBytes: Int64 = 0

    /// The number of subscriptions of all users.
    public internal(set) var subscriptionCount = 0

    /// The digest of everything: two databases with the same digest hold the same, in any kind of store.
    ///
    /// It is the SHA-256 checksum of the sum of the checksums of every part: each field of the schema, index, zone, subscription
    /// and asset, and each record with all its fields, dates, users, parent and change tag. So it does not depend on the
    /// order in which a store keeps them.
    public internal(set) var digest = Asset.Checksum(of: Data())
}

extension StoreContent: CustomStringConvertible {
    /// The counts and the digest: `12 records, 2 zones, 1 assets (300 bytes), 0 subscriptions, digest 5f…`.
    public var description: String {
        "\(recordCount) records, \(zoneCount) zones, \(assetCount) assets (\(assetBytes) bytes), "
            + "\(subscriptionCount) subscriptions, digest \(digest)"
    }
}

/// How much a copy has written.
public struct CopyCounts: Sendable, Hashable {
    /// Creates counts that are all zero.
    public init() {}

    /// The number of records that were written.
    public internal(set) var savedRecords = 0

    /// The number of those among them that the target did not have in any version.
    public internal(set) var newRecords = 0

    /// The number of records that were removed, because they are no longer in the source; without those of removed zones.
    public internal(set) var removedRecords = 0

    /// The number of zones that were added or removed.
    public internal(set) var changedZones = 0

    /// The number of subscriptions that were written or removed.
    public internal(set) var changedSubscriptions = 0

    /// The number of assets whose bytes were copied.
    public internal(set) var assets = 0

    /// The number of bytes of these assets.
    public internal(set) var assetBytes: Int64 = 0

    /// The number of records, zones and subscriptions that were written or removed: what a further pass would have to do, if as much
    /// changes during it as during this one.
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
    /// The counts: `12 records saved, 0 removed, 2 zones, 0 subscriptions, 1 assets (300 bytes)`.
    public var description: String {
        "\(savedRecords) records saved, \(removedRecords) removed, \(changedZones) zones, \(changedSubscriptions) subscriptions, "
            + "\(assets) assets (\(assetBytes) bytes)"
    }
}
