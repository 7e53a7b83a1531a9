/// The rules of change feeds: their pages, and the expiration of change tokens.
package enum ChangeFeedRule {
    /// The number of changes on a page if the caller sets no limit.
    static let defaultLimit = 400

    /// Returns the limit of a page.
    package static func limit(_ requested: Int?) throws(CabinetError) -> Int {
        guard let requested else { return defaultLimit }
        if requested > 0 { return requested }
        throw CabinetError(
            .invalidArguments, "The results limit is \(requested); expected a positive number, or nil.")
    }

    /// Returns the position that a page begins after: the caller's, or the beginning.
    ///
    /// A client that begins needs no tombstones, because it has no records to delete.
    static func start(_ since: FeedPosition?, last: Int64, readAccess: String?) -> FeedPosition {
        since
            ?? FeedPosition(
                number: 0, tombstoneHorizon: last, end: TimelinePoint(number: last), readAccess: readAccess)
    }

    /// Throws if the client may read other records now than when the position was determined.
    ///
    /// The changes since then lack older records that it may read only now.
    static func check(_ position: FeedPosition, readAccess: String?) throws(CabinetError) {
        if position.foreignToken != nil { throw expired("it is of another server") }
        if position.readAccess != readAccess {
            throw expired(
                "the schema's grants, or the account's roles, permit reading other records since, or a record type with grants was renamed"
            )
        }
    }

    /// Throws if the store has never reached a position.
    static func check(_ position: FeedPosition, last: Int64) throws(CabinetError) {
        if max(position.number, position.tombstoneHorizon, position.end.number) > last {
            throw expired(ExpirationReason.newerThanStore)
        }
    }

    /// The error for a position that was lost when an older copy of the store was restored.
    ///
    /// After a restoration, numbers are assigned again, so a lost position is recognized by its timeline, not by its number.
    static var replaced: CabinetError { expired(ExpirationReason.restored) }

    /// Throws if a position is older than the copy of the database from another store, where the changes had other numbers.
    static func check(_ position: FeedPosition, beginning: Int64) throws(CabinetError) {
        if max(position.number, position.tombstoneHorizon) < beginning {
            throw expired(ExpirationReason.copied)
        }
    }

    /// Throws if deletions after a position were forgotten, or the zone was recreated since.
    static func check(_ position: FeedPosition, of zone: StoredZone) throws(CabinetError) {
        let known = max(position.number, position.tombstoneHorizon)
        if known < zone.creationNumber {
            throw expired("the zone '\(zone.zoneID)' was deleted and created again since")
        }
        if known < zone.expirationNumber {
            throw expired("deletions in the zone '\(zone.zoneID)' since then were forgotten")
        }
    }

    /// The error for a position after which removals of zones were forgotten.
    static var forgottenRemovals: CabinetError { expired("deletions of zones since then were forgotten") }

    private static func expired(_ reason: String) -> CabinetError {
        CabinetError(
            .changeTokenExpired,
            "The change token has expired: \(reason). Discard the fetched records, and fetch the changes without a token."
        )
    }

    /// Returns the position after a page.
    static func end(
        of page: some BidirectionalCollection<Int64>, from start: FeedPosition, moreComing: Bool, at end: TimelinePoint
    ) -> FeedPosition {
        // After the last page, the client knows all changes in the snapshot.
        moreComing
            ? FeedPosition(
                number: page.last ?? start.number, tombstoneHorizon: start.tombstoneHorizon, end: end,
                readAccess: start.readAccess)
            : FeedPosition(
                number: end.number, tombstoneHorizon: end.number, end: end, readAccess: start.readAccess)
    }

    /// Returns the position of a client that has fetched nothing and saved something.
    ///
    /// The client knows no change, but needs the tombstones of the records that are deleted from now on.
    ///
    /// - Parameters:
    ///   - number: The last number before the client's own changes.
    ///   - end: The end of the database after them.
    ///   - readAccess: The fingerprint of the records that the client may read.
    static func position(
        afterSavingSince number: Int64, at end: TimelinePoint, readAccess: String?
    ) -> FeedPosition {
        FeedPosition(number: 0, tombstoneHorizon: number, end: end, readAccess: readAccess)
    }

    /// Sorts records so that targets of references precede the records that refer to them, where possible.
    ///
    /// - Complexity: O(*n*) in the number of records and references.
    static func sortedByReferences(_ records: [StoredRecord]) -> [StoredRecord] {
        guard mayReferToEachOther(records) else { return records }
        let positions = Dictionary(
            records.enumerated().map { ($1.recordID, $0) }, uniquingKeysWith: { first, _ in first })
        var isPlaced = [Bool](repeating: false, count: records.count)
        var sorted: [StoredRecord] = []
        sorted.reserveCapacity(records.count)
        for root in records.indices where !isPlaced[root] {
            // A record is appended after its targets. A record that occurs again on its own path is part of a cycle.
            var path: [(position: Int, targets: ArraySlice<Int>)] = [(root, targets(of: records[root], in: positions))]
            isPlaced[root] = true
            while case (let position, var targets)? = path.popLast() {
                guard let next = targets.popFirst() else {
                    sorted.append(records[position])
                    continue
                }
                path.append((position, targets))
                if isPlaced[next] { continue }
                isPlaced[next] = true
                path.append((next, Self.targets(of: records[next], in: positions)))
            }
        }
        return sorted
    }

    /// Whether some of the records may refer to others of them.
    ///
    /// Usually none does: its target was saved long before. The ends of the names show that in a fraction of the time that
    /// hashing the IDs takes. If names end alike, the records are sorted without need.
    private static func mayReferToEachOther(_ records: [StoredRecord]) -> Bool {
        var targets: Set<UInt64> = []
        for record in records {
            record.fields.forEachReference { targets.insert(ending(of: $0.recordID.recordName)) }
            if let parentName = record.parentName { targets.insert(ending(of: parentName)) }
        }
        return !targets.isEmpty && records.contains { targets.contains(ending(of: $0.recordID.recordName)) }
    }

    /// The last eight bytes of a name.
    private static func ending(of name: String) -> UInt64 {
        name.utf8.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func targets(of record: StoredRecord, in positions: [RecordID: Int]) -> ArraySlice<Int> {
        record.references.compactMap { positions[$0.target] }[...]
    }
}

/// A position in the changes of a database or zone.
package struct FeedPosition: Sendable {
    /// The number of the last change that the client knows.
    var number: Int64

    /// The number up to which the client needs no tombstones, because it has read its records later.
    var tombstoneHorizon: Int64

    /// The end of the database when this position was determined; the client knows no later change.
    var end: TimelinePoint

    /// The fingerprint of the records that the client could read then; `nil` for all.
    var readAccess: String?

    /// The number of the last change that the client knows in each zone of the shared database, by the numbers of the zones.
    var zoneNumbers: [Int64: Int64]?

    /// The token of another server, which only that server understands; `nil` for a position of this one.
    package var foreignToken: String?
}

extension FeedPosition {
    /// Creates the position that another server's token stands for.
    package init(foreignToken: String) {
        self.init(
            number: 0, tombstoneHorizon: 0, end: TimelinePoint(number: 0), readAccess: nil, foreignToken: foreignToken)
    }
}

extension FeedPosition {
    /// The numbers of zones and of their last changes, in turn: the form in which they are coded.
    var zonePairs: [Int64]? {
        get { zoneNumbers.map { $0.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] } } }
        set {
            zoneNumbers = newValue.map { pairs in
                var numbers: [Int64: Int64] = [:]
                for position in stride(from: 0, to: pairs.count - 1, by: 2) {
                    numbers[pairs[position]] = pairs[position + 1]
                }
                return numbers
            }
        }
    }
}

/// A sequence number, and the timeline that it was reserved on.
///
/// Two copies of a database that have the same number on the same timeline have had the same changes up to that number.
struct TimelinePoint: Sendable, Hashable, Codable {
    var number: Int64

    /// The ID of the timeline; `nil` if the store records none.
    var timeline: Int64?
}
