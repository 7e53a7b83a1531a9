import Cabinet

/// Reads the records of a zone one after the other, in the order of their changes.
struct RecordReader {
    private let snapshot: any StorageSnapshot
    private let zoneID: RecordZone.ID
    private let pageSize: Int
    private var page: ArraySlice<StoredChange> = []
    private var position: Int64 = 0
    private var isAtEnd = false

    init(_ snapshot: any StorageSnapshot, _ zoneID: RecordZone.ID, pageSize: Int) {
        self.snapshot = snapshot
        self.zoneID = zoneID
        self.pageSize = pageSize
    }

    mutating func next() async throws -> StoredRecord? {
        while true {
            while let change = page.popFirst() {
                position = change.sequenceNumber
                if let record = change.record { return record }
            }
            if isAtEnd { return nil }
            let found = try await snapshot.changes(
                in: zoneID, after: position, limit: pageSize, of: .all(fields: nil))
            isAtEnd = found.isEmpty
            page = found[...]
        }
    }
}

/// Reads the list of assets one after the other, in the order of their checksums.
struct AssetReader {
    private let snapshot: any StorageSnapshot
    private var page: ArraySlice<StoredAsset> = []
    private var last: Asset.Checksum?
    private var isAtEnd = false

    init(_ snapshot: any StorageSnapshot) {
        self.snapshot = snapshot
    }

    mutating func next() async throws -> StoredAsset? {
        if page.isEmpty, !isAtEnd {
            page = try await snapshot.abilities.assets?.assets(after: last, limit: 1000)[...] ?? []
            isAtEnd = page.count < 1000
            last = page.last?.checksum ?? last
        }
        return page.popFirst()
    }
}
