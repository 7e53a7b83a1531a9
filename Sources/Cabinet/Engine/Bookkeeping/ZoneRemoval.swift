package import Foundation

/// The last removal of a zone, as the changes of the database report it.
///
/// Its entry has the number in its key, so that a reader finds the removals after a position without reading the earlier ones.
/// Another entry has the number under the zone's name, so that a later removal of the zone replaces this one.
package struct ZoneRemoval: Sendable, Hashable {
    package let zoneID: RecordZone.ID
    package let sequenceNumber: Int64
    let date: Date

    package init(of zoneID: RecordZone.ID, sequenceNumber: Int64, date: Date) {
        self.zoneID = zoneID
        self.sequenceNumber = sequenceNumber
        self.date = date
    }
}

extension ZoneRemoval {
    /// The keys of all removals, in the order of their numbers.
    static let allKeys = StorageKey.all("database", "removalByNumber")

    /// The keys of the numbers of all removals.
    static let allZoneKeys = StorageKey.all("database", "removalByZone")

    /// The keys under which an earlier version stored the number of each removed zone, and no date.
    static let allEarlierKeys = StorageKey.all("database", "removedZone")

    /// The key of the highest number of a forgotten removal.
    static let expirationKey = StorageKey("database", "removedZoneExpiration")

    /// The keys of an earlier version, the key of the highest number of a forgotten removal, and the keys of all zones, in this order.
    ///
    /// No others come in between, so one call reads them.
    static let earlierKeysWithZones = allEarlierKeys.lowerBound..<StoredZone.allKeys.upperBound

    /// The keys of the removals up to a number.
    static func keys(through number: Int64) -> Range<StorageKey> {
        let name = StorageKey.name(max(number, 0))
        return allKeys.lowerBound..<StorageKey.all("database", "removalByNumber", name).upperBound
    }

    /// The keys of the removals after a number.
    static func keys(after number: Int64) -> Range<StorageKey> {
        keys(through: number).upperBound..<allKeys.upperBound
    }

    /// The key of a removal, which has the zone too: in a copy of an earlier version, several removals have one number.
    static func key(_ number: Int64, of zoneID: RecordZone.ID) -> StorageKey {
        StorageKey("database", "removalByNumber", StorageKey.name(number), zoneID.ownerName, zoneID.zoneName)
    }

    var key: StorageKey { Self.key(sequenceNumber, of: zoneID) }

    /// The key of the number of a zone's removal.
    static func zoneKey(_ zoneID: RecordZone.ID) -> StorageKey {
        StorageKey("database", "removalByZone", zoneID.ownerName, zoneID.zoneName)
    }

    /// The entry with the number of the zone's removal.
    fileprivate var zoneEntry: StorageEntry { StorageEntry(key: Self.zoneKey(zoneID), text: "\(sequenceNumber)") }

    /// Reads a removal from its entry.
    init(_ entry: StorageEntry) throws(CabinetError) {
        guard let time = Double(entry.text), time.isFinite,
            let removal = Self(entry.key, date: Date(timeIntervalSinceReferenceDate: time))
        else { throw .damagedEntry(entry.key, entry.text) }
        self = removal
    }

    /// Creates the removal that a key stands for.
    fileprivate init?(_ key: StorageKey, date: Date) {
        let names = key.names
        guard names.count == 5, let number = Int64(names[2]) else { return nil }
        self.init(of: RecordZone.ID(zoneName: names[4], ownerName: names[3]), sequenceNumber: number, date: date)
        if self.key != key { return nil }
    }

    /// Reads a removal that an earlier version has stored.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - date: The date that the removal gets.
    init(earlier entry: StorageEntry, date: Date = .distantPast) throws(CabinetError) {
        guard let id = RecordZone.ID(entry.key) else { throw .damagedEntry(entry.key, entry.text) }
        self.init(of: id, sequenceNumber: try entry.number(), date: date)
    }

    /// The text of the removal's entry.
    var text: String { "\(date.timeIntervalSinceReferenceDate)" }
}

extension StorageSnapshot {
    /// Reads the removals of zones after a number, in the order of their numbers.
    ///
    /// - Complexity: in the number of removals returned.
    func removals(after number: Int64, limit: Int) async throws -> [ZoneRemoval] {
        try await entries(in: ZoneRemoval.keys(after: number), limit: limit).map { try ZoneRemoval($0) }
    }

    /// Returns the mutations that store removals of zones, each in place of an earlier one of the same zone.
    ///
    /// The removals that an earlier version has stored move with them. Their dates are unknown, so they are remembered as if they
    /// were new.
    package func mutations(storing removals: [ZoneRemoval]) async throws -> [StorageMutation] {
        guard let date = removals.first?.date else { return [] }
        var last: [RecordZone.ID: ZoneRemoval] = [:]
        var moved: [StorageKey] = []
        for entry in try await allEntries(in: ZoneRemoval.allEarlierKeys) {
            if let removal = try? ZoneRemoval(earlier: entry, date: date) {
                last[removal.zoneID] = removal
            } else if !removals.contains(where: { $0.zoneID == RecordZone.ID(entry.key) }) {
                // A damaged entry stays for the verification, until its zone is removed again.
                continue
            }
            moved.append(entry.key)
        }
        for removal in removals { last[removal.zoneID] = removal }
        let new = last.values.sorted { $0.sequenceNumber < $1.sequenceNumber }
        let known = try await load(StorageKeys(entries: new.map(\.zoneEntry.key))).entries
        var mutations: [StorageMutation] = moved.map { .setEntry($0, nil) }
        for (removal, number) in zip(new, known.map { $0.flatMap { Int64($0) } }) {
            if let number {
                // A process of an earlier version removed the zone before one of this version did.
                if number > removal.sequenceNumber { continue }
                mutations.append(.setEntry(ZoneRemoval.key(number, of: removal.zoneID), nil))
            }
            mutations.append(.setEntry(removal.key, removal.text))
            mutations.append(.setEntry(removal.zoneEntry.key, removal.zoneEntry.text))
        }
        return mutations
    }

    /// Returns the mutations that forget the first removals of zones.
    ///
    /// - Parameter number: The sequence number of the last removal to forget.
    func mutations(forgettingRemovalsThrough number: Int64) async throws -> [StorageMutation] {
        let key = ZoneRemoval.expirationKey
        let known = try await load(StorageKeys(entries: [key])).entries.first ?? nil
        let expiration = max(number, known.flatMap { Int64($0) } ?? 0)
        return try await allEntries(in: ZoneRemoval.keys(through: number)).flatMap { entry -> [StorageMutation] in
            [.setEntry(entry.key, nil), .setEntry(try ZoneRemoval(entry).zoneEntry.key, nil)]
        } + [.setEntry(key, "\(expiration)")]
    }

    /// Returns the mutations after which each zone has one removal at most, and its number is found by the zone.
    package func mutationsRepairingZoneRemovals() async throws -> [StorageMutation] {
        var last: [RecordZone.ID: ZoneRemoval] = [:]
        var mutations: [StorageMutation] = []
        for entry in try await allEntries(in: ZoneRemoval.allKeys) {
            // A text that cannot be read is a finding of its own.
            guard let removal = ZoneRemoval(entry.key, date: .distantPast) else { continue }
            guard let old = last.updateValue(removal, forKey: removal.zoneID) else { continue }
            mutations.append(.setEntry(old.key, nil))
        }
        let expected = Set(last.values.map(\.zoneEntry))
        let found = Set(try await allEntries(in: ZoneRemoval.allZoneKeys))
        mutations += found.subtracting(expected).map { .setEntry($0.key, nil) }
        return mutations + expected.subtracting(found).map { .setEntry($0.key, $0.text) }
    }
}
