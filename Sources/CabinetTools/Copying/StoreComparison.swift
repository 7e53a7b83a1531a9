import Cabinet

/// Compares two databases that should be equal, page by page, and finds the first difference.
struct StoreComparison {
    private let source: any StorageSnapshot
    private let target: any StorageSnapshot
    private let database: DatabaseKey
    private let meter: CopyMeter
    private var content = StoreContent()
    /// The sums of both sides, each computed from its own records.
    private var sums = (source: ChecksumSum(), target: ChecksumSum())
    /// The number of records of each type.
    private var counts: [Record.RecordType: Int] = [:]

    private static let pageSize = 400

    init(
        of source: any StorageSnapshot, with target: any StorageSnapshot, in database: DatabaseKey, meter: CopyMeter
    ) {
        self.source = source
        self.target = target
        self.database = database
        self.meter = meter
    }

    /// Compares everything.
    ///
    /// - Returns: The content of both.
    /// - Throws: ``/Cabinet/CabinetError/Code/internalError`` with the first difference.
    mutating func run() async throws -> StoreContent {
        try await compareSchemas()
        let zones = try await compareZones()
        for zoneID in zones { try await compareRecords(in: zoneID) }
        try await compareCounts()
        try await compareSubscriptions()
        try await compareAssets()
        guard sums.source == sums.target else { throw difference("the digests are different") }
        content.digest = sums.source.checksum
        return content
    }

    /// The error that describes the difference.
    private func difference(
        _ what: String, _ recordID: RecordID? = nil, _ key: Record.FieldKey? = nil
    ) -> CabinetError {
        CabinetError(
            .internalError,
            "The copy of \(database) is not equal to it: \(what). Check both stores, and copy again to an empty one.",
            recordID: recordID, fieldKey: key)
    }

    private func checkCancellation() throws {
        if Task.isCancelled {
            throw CabinetError(
                .operationCancelled,
                "The task was cancelled while \(database) and its copy were compared. Start the copy again to compare them."
            )
        }
    }

    // MARK: Schema, zones, subscriptions

    private mutating func compareSchemas() async throws {
        let (schema, copy) = (try await source.schema(), try await target.schema())
        for recordType in Set(schema.recordTypes.keys).union(copy.recordTypes.keys).sorted() {
            guard let fields = schema.recordTypes[recordType], let copies = copy.recordTypes[recordType] else {
                throw difference("only one of them has the record type '\(recordType)'")
            }
            for key in Set(fields.keys).union(copies.keys).sorted() where fields[key] != copies[key] {
                throw difference("the field '\(key)' of '\(recordType)' has another type", nil, key)
            }
            guard schema.indexes[recordType] ?? [] == copy.indexes[recordType] ?? [] else {
                throw difference("'\(recordType)' has other indexes")
            }
        }
        let (rules, copiedRules) = (try await source.schemaRules(), try await target.schemaRules())
        guard rules == copiedRules else { throw difference("their roles, grants or unique values differ") }
        guard try await source.migrations() == target.migrations() else { throw difference("their migrations differ") }
        for range in StorageKey.copiedRanges { try await compareEntries(in: range) }
        sums.source.add(schema)
        sums.target.add(copy)
        try sums.source.add(rules)
        try sums.target.add(copiedRules)
    }

    private func compareEntries(in range: Range<StorageKey>) async throws {
        var rest = range
        while !rest.isEmpty {
            try checkCancellation()
            let page = try await source.entries(in: rest, limit: Self.pageSize)
            let part = rest.lowerBound..<page.end(in: rest, limit: Self.pageSize)
            guard try await target.entries(in: part, limit: .max) == page else {
                throw difference(
                    "the keys of their encrypted values, the entries of their shares, or the users of their servers differ"
                )
            }
            rest = part.upperBound..<rest.upperBound
        }
    }

    private mutating func compareZones() async throws -> [RecordZone.ID] {
        func stored(_ snapshot: any StorageSnapshot) async throws -> [RecordZone.ID: StoredZone] {
            let zones = try await snapshot.zones(for: nil).filter { $0.zoneID != .default }
            return Dictionary(zones.map { ($0.zoneID, $0) }, uniquingKeysWith: { first, _ in first })
        }
        let (zones, copies) = (try await stored(source), try await stored(target))
        for id in Set(zones.keys).union(copies.keys).sorted(by: { $0.description < $1.description }) {
            guard let zone = zones[id], let copy = copies[id] else {
                throw difference("only one of them has the zone '\(id)'")
            }
            guard zone.creatorName == copy.creatorName, zone.creationNumber == copy.creationNumber else {
                throw difference("the zone '\(id)' differs")
            }
            sums.source.add(zone)
            sums.target.add(copy)
        }
        content.zoneCount = zones.count
        return [.default] + zones.values.sorted { $0.rank < $1.rank }.map(\.zoneID)
    }

    private mutating func compareSubscriptions() async throws {
        let all = Set(try await source.subscriptions(of: nil))
        let copies = Set(try await target.subscriptions(of: nil))
        if let other = all.symmetricDifference(copies).first {
            throw difference("only one of them has the subscription '\(other.subscription.subscriptionID)'")
        }
        for subscription in all { try sums.source.add("subscription") { try $0.add(subscription) } }
        for subscription in copies { try sums.target.add("subscription") { try $0.add(subscription) } }
        content.subscriptionCount = all.count
    }

    // MARK: Records

    /// Compares the records of a zone, which both have in the order of the same numbers.
    private mutating func compareRecords(in zoneID: RecordZone.ID) async throws {
        var records = RecordReader(source, zoneID, pageSize: Self.pageSize)
        var copies = RecordReader(target, zoneID, pageSize: Self.pageSize)
        while true {
            let (record, copy) = (try await records.next(), try await copies.next())
            guard let record else {
                if let copy { throw difference("the record is in the copy alone", copy.recordID) }
                break
            }
            guard let copy, copy.sequenceNumber <= record.sequenceNumber else {
                throw difference("the record is missing in the copy", record.recordID)
            }
            if copy.sequenceNumber < record.sequenceNumber {
                throw difference("the record is in the copy alone, or has another change tag there", copy.recordID)
            }
            try compare(record, copy)
            counts[record.recordType, default: 0] += 1
            content.recordCount += 1
            if content.recordCount.isMultiple(of: Self.pageSize) {
                try checkCancellation()
                meter.advance { [count = content.recordCount] in $0.completedRecords = count }
            }
        }
        meter.advance { [count = content.recordCount] in $0.completedRecords = count }
    }

    private mutating func compare(_ record: StoredRecord, _ copy: StoredRecord) throws {
        let id = record.recordID
        guard id == copy.recordID else { throw difference("another record has this one's change tag", id) }
        let isEqual =
            record.recordType == copy.recordType && record.creationDate == copy.creationDate
            && record.creatorName == copy.creatorName && record.modificationDate == copy.modificationDate
            && record.lastModifierName == copy.lastModifierName && record.parentName == copy.parentName
        guard isEqual else { throw difference("the record has another type, date, user or parent", id) }
        for key in Set(record.fields.keys).union(copy.fields.keys).sorted()
        where record.fields[key] != copy.fields[key] {
            throw difference("the record has another value in '\(key)'", id, key)
        }
        sums.source.add("record") { $0.add(record) }
        sums.target.add("record") { $0.add(copy) }
    }

    /// Checks that no record was missed because the store's change feed does not list it.
    private func compareCounts() async throws {
        for recordType in try await source.schema().recordTypes.keys.sorted() {
            try checkCancellation()
            let expected = counts[recordType] ?? 0
            for (name, snapshot) in [("source", source), ("target", target)] {
                let count = try await snapshot.count(ofType: recordType)
                if count == expected { continue }
                throw difference(
                    "the \(name) counts \(count.counted("record")) of '\(recordType)', and its change feed lists \(expected)"
                )
            }
        }
    }

    // MARK: Assets

    /// Compares the lists of assets, and reads the bytes of the copies.
    private mutating func compareAssets() async throws {
        var assets = AssetReader(source)
        var copies = AssetReader(target)
        var copy = try await copies.next()
        while let asset = try await assets.next() {
            guard let current = copy, current.checksum <= asset.checksum else {
                // The copy lacks assets that no record has.
                if try await source.abilities.assets?.assetsInUse(among: [asset.checksum]).isEmpty == true { continue }
                throw difference("the asset \(asset) is missing in the copy")
            }
            guard current == asset else { throw difference("the asset \(current) is in the copy alone") }
            try await checkBytes(of: asset)
            sums.source.add("asset") { $0.add(asset.description) }
            sums.target.add("asset") { $0.add(current.description) }
            content.assetCount += 1
            content.assetBytes += asset.size
            meter.advance { $0.completedAssets += 1 }
            copy = try await copies.next()
        }
        if let copy { throw difference("the asset \(copy) is in the copy alone") }
    }

    private func checkBytes(of asset: StoredAsset) async throws {
        let damage = try await asset.damage(in: target, checkCancellation) { bytes in
            meter.advance { $0.completedBytes += Int64(bytes.count) }
        }
        if damage == .lost { throw difference("bytes of the asset \(asset) are missing in the copy") }
        if damage == .changed { throw difference("the asset \(asset) has other bytes in the copy") }
    }
}

extension Asset.Checksum {
    fileprivate static func <= (left: Self, right: Self) -> Bool { !(right < left) }
}
