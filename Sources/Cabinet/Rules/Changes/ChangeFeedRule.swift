/// What has changed since a token, and when a token is of no use any more.
enum ChangeFeedRule {
    /// The most changes on a page, when the caller sets no limit.
    static let defaultLimit = 400

    /// The limit of a page.
    static func limit(_ requested: Int?) throws(CabinetError) -> Int {
        guard let requested else { return defaultLimit }
        if requested > 0 { return requested }
        throw CabinetError(
            .invalidArguments, "The results limit is \(requested); expected a positive number, or nil.")
    }

    /// The place that a page begins after: the caller's, or the beginning.
    ///
    /// Who knows nothing has not to hear of records that are gone already.
    static func start(_ since: FeedPosition?, last: Int64) -> FeedPosition {
        since ?? FeedPosition(number: 0, horizon: last, end: TimelinePoint(number: last))
    }

    /// Refuses a place that the store has never reached.
    static func check(_ place: FeedPosition, last: Int64) throws(CabinetError) {
        if max(place.number, place.horizon, place.end.number) > last {
            throw expired("it is newer than the store, which must have been replaced by an older one")
        }
    }

    /// The error for a place that was lost when an older copy of the store was put back.
    ///
    /// Numbers are given out again after that, so the number of a place does not tell; the timeline of the number does.
    static var replaced: CabinetError { expired("an older copy of the store was put back since") }

    /// Refuses a place from before the database was copied from another store, where its changes have other numbers.
    static func check(_ place: FeedPosition, beginning: Int64) throws(CabinetError) {
        if max(place.number, place.horizon) < beginning {
            throw expired("the database was copied from another store since, or is still being copied")
        }
    }

    /// Refuses a place since which deletions were forgotten, or the zone was made anew.
    static func check(_ place: FeedPosition, of zone: StoredZone) throws(CabinetError) {
        let known = max(place.number, place.horizon)
        if known < zone.creationNumber {
            throw expired("the zone '\(zone.zoneID)' was deleted and made anew since")
        }
        if known < zone.expirationNumber {
            throw expired("deletions in the zone '\(zone.zoneID)' since then are not remembered any more")
        }
    }

    private static func expired(_ reason: String) -> CabinetError {
        CabinetError(
            .changeTokenExpired,
            "The change token has expired: \(reason). Forget what you know, and fetch the changes without a token.")
    }

    /// The place after a page.
    static func end(
        of page: some BidirectionalCollection<Int64>, from start: FeedPosition, moreComing: Bool, at end: TimelinePoint
    ) -> FeedPosition {
        // After the last page everything is known that the snapshot holds.
        moreComing
            ? FeedPosition(number: page.last ?? start.number, horizon: start.horizon, end: end)
            : FeedPosition(number: end.number, horizon: end.number, end: end)
    }

    /// The place of a client that has fetched nothing and saved something: it knows no change, but may keep records that are deleted from
    /// now on.
    ///
    /// - Parameters:
    ///   - number: The last number before the client's own changes.
    ///   - end: The end of the database after them.
    static func place(afterSavingSince number: Int64, at end: TimelinePoint) -> FeedPosition {
        FeedPosition(number: 0, horizon: number, end: end)
    }

    /// The records in an order in which the targets of references come before those who refer to them, where possible.
    ///
    /// - Complexity: O(*n*) in the number of records and references.
    static func sortedByReferences(_ records: [StoredRecord]) -> [StoredRecord] {
        guard records.contains(where: \.hasReferences) else { return records }
        let positions = Dictionary(
            records.enumerated().map { ($1.recordID, $0) }, uniquingKeysWith: { first, _ in first })
        var isPlaced = [Bool](repeating: false, count: records.count)
        var sorted: [StoredRecord] = []
        sorted.reserveCapacity(records.count)
        for root in records.indices where !isPlaced[root] {
            // A record is placed after what it refers to. One that is met again on the way is part of a circle.
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

    private static func targets(of record: StoredRecord, in positions: [RecordID: Int]) -> ArraySlice<Int> {
        record.references.compactMap { positions[$0.target] }[...]
    }
}
