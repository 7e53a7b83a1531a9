/// The sequence numbers of a transaction, and the last one in each zone.
struct ZoneNumbers {
    private(set) var last: Int64
    private var lastByZone: [RecordZone.ID: Int64] = [:]
    /// The zone of the latest number, which is marked once for all its adjacent changes.
    private var current: RecordZone.ID?

    init(last: Int64) {
        self.last = last
    }

    /// Returns the next number, for a change in a zone.
    mutating func next(in zoneID: RecordZone.ID) -> Int64 { next(1, in: zoneID) }

    /// Returns the first of the next numbers, for adjacent changes in a zone.
    mutating func next(_ count: Int, in zoneID: RecordZone.ID) -> Int64 {
        if let current, current != zoneID { lastByZone[current] = last }
        current = zoneID
        last += Int64(count)
        return last - Int64(count) + 1
    }

    /// Sets the last change number of each zone, and adds the mutations that store it.
    ///
    /// - Parameters:
    ///   - zones: The zones, which were all loaded: a new entry would replace the numbers by which change tokens expire.
    ///   - mutations: The mutations of the transaction.
    /// - Throws: ``CabinetError/Code/internalError`` if a zone with a change is missing.
    mutating func mark(
        _ zones: inout [RecordZone.ID: StoredZone], _ mutations: inout [StorageMutation]
    ) throws(CabinetError) {
        // Nearly every batch changes one zone, and needs no dictionary.
        if let current, lastByZone.isEmpty { return try Self.mark(current, last, &zones, &mutations) }
        if let current { lastByZone[current] = last }
        for (zoneID, number) in lastByZone { try Self.mark(zoneID, number, &zones, &mutations) }
    }

    private static func mark(
        _ zoneID: RecordZone.ID, _ number: Int64, _ zones: inout [RecordZone.ID: StoredZone],
        _ mutations: inout [StorageMutation]
    ) throws(CabinetError) {
        guard var zone = zones[zoneID] else {
            throw CabinetError(
                .internalError,
                "The zone '\(zoneID)' of a record to change is not stored. Verify the store, or restore a backup.")
        }
        zone.changeNumber = number
        zones[zoneID] = zone
        mutations.append(zone.mutation)
    }
}
