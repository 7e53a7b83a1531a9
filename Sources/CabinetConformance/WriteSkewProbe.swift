import Cabinet

/// A kind of read with which each of two concurrent transactions searches for what the other one writes.
///
/// The two share no key otherwise: only the read conflicts with the other's write. Records are in a zone for each transaction,
/// because sequence numbers rise in the order of the commits to a zone.
struct WriteSkewProbe: Sendable {
    let name: String
    /// Whether a transaction finds what the other one has written.
    let findsOther: @Sendable (any StorageTransaction, _ other: String) async throws -> Bool
    /// The mutations of a transaction.
    let mutations: @Sendable (_ own: String) -> [StorageMutation]

    /// Throws unless one of two transactions, each of which writes if the other has not, finds the other's write.
    func check(_ backend: any StorageBackend) async throws {
        let database = DatabaseKey.private(owner: name)
        try await backend.write(database) { transaction in
            let fields = [StoredField(name: "x", type: .int64), StoredField(name: "r", type: .reference)]
            try await transaction.add(fields, to: "Marks")
        }
        let barrier = Barrier(of: 2)
        let writers = try await withThrowingTaskGroup(of: Int.self) { group in
            for (own, other) in [("a", "b"), ("b", "a")] {
                group.addTask {
                    try await backend.write(database) { transaction in
                        if try await findsOther(transaction, other) { return 0 }
                        await barrier.join()
                        try await transaction.apply(mutations(own))
                        return 1
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        try expect("The transactions that found no other by \(name)", writers, equals: 1)
    }
}

extension WriteSkewProbe {
    /// Probes for every read of a transaction but those of assets.
    static let all: [WriteSkewProbe] = [
        entries("entry") { try await $0.entry(key($1)) != nil },
        entries("entryRange") { transaction, _ in
            try await transaction.load(StorageKeys(entryRanges: [.samples])).entryRanges != [[]]
        },
        entries("entries") { transaction, _ in try await !transaction.entries(in: .samples, limit: 10).isEmpty },
        records("record") { try await $0.load(StorageKeys(records: [id("mark", in: $1)])).records != [nil] },
        records("existing") { try await $0.load(StorageKeys(existing: [id("mark", in: $1)])).existing == [true] },
        records("query") { transaction, _ in try await !transaction.records(matching: plan()).isEmpty },
        records("count") { transaction, _ in try await transaction.count(matching: plan()) > 0 },
        records("references") { try await !$0.references(to: [id("target", in: $1)]).isEmpty },
        records("changes") {
            try await !$0.changes(in: zone($1), after: 0, limit: 10, of: .all(fields: nil)).isEmpty
        },
        WriteSkewProbe(name: "schema") {
            try await $0.schema().recordTypes["Marks_\($1)"] != nil
        } mutations: {
            [.addFields([], to: "Marks_\($0)")]
        },
    ]

    private typealias Finder = @Sendable (any StorageTransaction, _ other: String) async throws -> Bool

    /// A probe whose transactions each store an entry.
    private static func entries(_ name: String, _ findsOther: @escaping Finder) -> WriteSkewProbe {
        WriteSkewProbe(name: name, findsOther: findsOther) { [.setEntry(key($0), "mark")] }
    }

    /// A probe whose transactions each insert a record, which refers to another one.
    private static func records(_ name: String, _ findsOther: @escaping Finder) -> WriteSkewProbe {
        WriteSkewProbe(name: name, findsOther: findsOther) { own in
            let target = FieldValue.reference(Reference(recordID: id("target", in: own), action: .deny))
            return [.insert(.sample("mark", target, type: "Marks", field: "r", in: zone(own)))]
        }
    }

    private static func key(_ transaction: String) -> StorageKey { StorageKey("sample/\(transaction)") }

    private static func zone(_ transaction: String) -> RecordZone.ID { RecordZone.ID(zoneName: transaction) }

    private static func id(_ name: String, in transaction: String) -> RecordID {
        RecordID(recordName: name, zoneID: zone(transaction))
    }

    private static func plan() throws -> QueryPlan {
        try QueryPlan(recordType: "Marks", filter: .constant(true), fields: ["x": .int64, "r": .reference])
    }
}

extension ConformanceWorld {
    /// Throws if one transaction removes an asset that no record has, and another one saves a record that has the stored asset.
    func checkAssetSkew() async throws {
        try await backend.write(.public) { transaction in
            try await transaction.add([StoredField(name: "file", type: .asset)], to: "Holders")
        }
        for isRemovedFirst in [false, true] {
            let asset = try await store(AssetSamples.bytes(20, seed: isRemovedFirst ? 1 : 2))
            // Both have read before one of them writes, and that one has ended before the other writes.
            let reading = Barrier(of: 2, timeout: .milliseconds(30))
            let ending = Barrier(of: 2, timeout: .milliseconds(30))
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await backend.write(.public) { transaction in
                        let used = try await transaction.storedAssets.assetsInUse(among: [asset.checksum])
                        await reading.join()
                        if !isRemovedFirst { await ending.join() }
                        if used.isEmpty { try await transaction.apply([.removeAsset(asset.checksum)]) }
                    }
                    if isRemovedFirst { await ending.join() }
                }
                group.addTask {
                    try await backend.write(.public) { transaction in
                        let stored = try await transaction.storedAssets.assets(for: [asset.checksum])
                        await reading.join()
                        if isRemovedFirst { await ending.join() }
                        let holder = StoredRecord.sample(
                            "holder \(isRemovedFirst)", .asset(Asset(asset)), type: "Holders", field: "file")
                        if stored == [asset] { try await transaction.insert([holder]) }
                    }
                    if !isRemovedFirst { await ending.join() }
                }
                try await group.waitForAll()
            }
            let (isStored, isUsed) = try await backend.read(.public) { snapshot in
                let assets = try snapshot.storedAssets
                let stored = try await assets.assets(for: [asset.checksum])
                return (stored == [asset], try await !assets.assetsInUse(among: [asset.checksum]).isEmpty)
            }
            try expect("Whether the asset is stored, as it is used", isStored, equals: isUsed)
        }
    }
}
