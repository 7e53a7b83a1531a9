import Cabinet
import Foundation

extension ConformanceRule {
    /// The core's requirements for a backend's assets.
    static let assetStorage: [ConformanceRule] = [
        ConformanceRule(
            .assets, "an upload is invisible before a transaction has added it",
            law:
                "The bytes of an upload are not an asset until a transaction that added them commits; if the upload ends, they are removed.",
            source: .storage("AssetUpload")
        ) { world in
            let bytes = Data("abc".utf8)
            let (asset, upload) = try await world.upload(bytes)
            try expect("The assets before", try await world.storedAssets(in: .public), equals: [])
            struct Abort: Error {}
            do {
                try await world.backend.write(.public) { transaction in
                    try await transaction.apply([.addAsset(asset, uploadedAs: upload.id)])
                    try expect(
                        "The assets inside", try await transaction.storedAssets.assets(for: [asset.checksum]),
                        equals: [asset])
                    throw Abort()
                }
            } catch is Abort {}
            try expect(
                "The assets of a rolled-back transaction", try await world.storedAssets(in: .public), equals: [])
            try await world.backend.write(.public) { try await $0.apply([.addAsset(asset, uploadedAs: upload.id)]) }
            await upload.end()
            await upload.end()
            try expect("The assets after", try await world.storedAssets(in: .public), equals: [asset])
            try expect("The bytes", try await world.bytes(of: asset), equals: bytes)
            let (other, unused) = try await world.upload(Data("unused".utf8))
            await unused.end()
            try expect("The bytes of an upload that was ended", try await world.bytes(of: other), equals: nil)
        },
        ConformanceRule(
            .assets, "assets are found by their checksums, and in their order",
            law:
                "assets(for:) returns assets in the order of the checksums, nil for unknown ones; assets(after:limit:) pages in "
                + "ascending order.",
            source: .storage("StoredAssets.assets(after:limit:)")
        ) { world in
            var assets: [StoredAsset] = []
            for seed in 1...7 { assets.append(try await world.store(AssetSamples.bytes(50, seed: UInt64(seed)))) }
            let sorted = assets.sorted { $0.checksum < $1.checksum }
            let missing = try require(Asset.Checksum([UInt8](repeating: 0, count: 32)), "A checksum")
            try await world.backend.read(.public) { [assets] snapshot in
                try expect("All", try await snapshot.storedAssets.assets(after: nil, limit: 100), equals: sorted)
                let first = try await snapshot.storedAssets.assets(after: nil, limit: 3)
                try expect("The first three", first, equals: Array(sorted.prefix(3)))
                let next = try await snapshot.storedAssets.assets(after: sorted[2].checksum, limit: 3)
                try expect("The next three", next, equals: Array(sorted[3..<6]))
                let none = try await snapshot.storedAssets.assets(after: sorted[6].checksum, limit: 3)
                try expect("Those after the last", none, equals: [])
                let found = try await snapshot.storedAssets.assets(for: [
                    assets[3].checksum, missing, assets[0].checksum,
                ])
                try expect("The requested ones", found, equals: [assets[3], nil, assets[0]])
                let last = try await snapshot.storedAssets.assets(for: Asset.Checksum.unknown + [assets[3].checksum])
                try expect("The number of requested ones", last.count, equals: Asset.Checksum.unknown.count + 1)
                try expect("The one after many unknown ones", last.compactMap(\.self), equals: [assets[3]])
            }
        },
        ConformanceRule(
            .assets, "any range of an asset's bytes can be read",
            law:
                "bytes(of:in:) returns exactly the bytes of the range, also if another transaction removes the asset, and nil for one "
                + "that is not stored.",
            source: .storage("StoredAssets.bytes(of:in:)")
        ) { world in
            let bytes = AssetSamples.bytes(3 << 20)
            let asset = try await world.store(bytes)
            let empty = try await world.store(Data())
            let missing = try require(Asset.Checksum([UInt8](repeating: 0, count: 32)), "A checksum")
            let megabyte: Int64 = 1 << 20
            let ranges = [0..<10, 0..<megabyte, megabyte - 5..<megabyte + 5, 3 * megabyte - 1..<3 * megabyte, 7..<7]
            try await world.backend.read(.public) { snapshot in
                for range in ranges {
                    let found = try await snapshot.storedAssets.bytes(of: asset.checksum, in: range)
                    try expect(
                        found == bytes[Int(range.lowerBound)..<Int(range.upperBound)], "The bytes \(range) differ.")
                }
                try expect(
                    "No bytes", try await snapshot.storedAssets.bytes(of: empty.checksum, in: 0..<0)?.count ?? 0,
                    equals: 0)
                try expect("Missing bytes", try await snapshot.storedAssets.bytes(of: missing, in: 0..<1), equals: nil)
            }
            let other = AssetSamples.bytes(20)
            let asked = [asset.checksum, empty.checksum, Asset.Checksum(of: other)]
            try await world.backend.write(.public) { transaction in
                try await transaction.add([StoredField(name: "file", type: .asset)], to: "Samples")
            }
            try await world.backend.read(.public) { snapshot in
                let assets = try snapshot.storedAssets
                func found() async throws -> [[StoredAsset?]] {
                    [try await assets.assets(for: asked), try await assets.assets(after: nil, limit: 100)]
                }
                let (before, used) = (try await found(), try await assets.assetsInUse(among: asked))
                try await world.backend.write(.public) { transaction in
                    try await transaction.insert([.sample("holder", .asset(Asset(empty)), field: "file")])
                    try await transaction.apply([.removeAsset(asset.checksum)])
                }
                try await world.store(other)
                try expect("The assets of a view", try await found(), equals: before)
                try expect("The used assets of a view", try await assets.assetsInUse(among: asked), equals: used)
                let removed = try await assets.bytes(of: asset.checksum, in: 0..<10)
                try expect("The bytes of an asset that another transaction removed", removed, equals: bytes.prefix(10))
            }
        },
        ConformanceRule(
            .assets, "assets in use are found",
            law:
                "assetsInUse(among:) returns the assets that fields and lists of stored records have, as the transaction sees them, and "
                + "no others.",
            source: .storage("StoredAssets.assetsInUse(among:)")
        ) { world in
            var assets: [StoredAsset] = []
            for seed in 1...4 { assets.append(try await world.store(AssetSamples.bytes(20, seed: UInt64(seed)))) }
            let all = assets.map(\.checksum)
            let asked = Asset.Checksum.unknown + all
            let values: [FieldValue] = [
                .asset(Asset(assets[0])), .asset(Asset(assets[0])),
                .list(.asset([Asset(assets[1]), Asset(assets[2])])),
            ]
            let fields = ["file": FieldType.asset, "files": .list(of: .asset)]
            let records = values.enumerated().map { index, value in
                var record = StoredRecord.sample("\(index)", .int64(1))
                let key = if case .list = value { "files" } else { "file" }
                record.fields = FieldValues(names: FieldNames([key]), values: [value])
                return record
            }
            try await world.backend.write(.public) { [assets] transaction in
                func expectUsed(_ used: [Int], _ when: String) async throws {
                    let found = try await transaction.storedAssets.assetsInUse(among: asked)
                    try expect("The used assets \(when)", found, equals: Set(used.map { all[$0] }))
                }
                try await transaction.add(fields.map { StoredField(name: $0, type: $1) }, to: "Samples")
                try await expectUsed([], "at first")
                try await transaction.insert(records)
                try await expectUsed([0, 1, 2], "after inserting")
                try await transaction.remove([records[0].recordID])
                try await expectUsed([0, 1, 2], "after removing one of two")
                var list = records[2]
                list.fields = FieldValues(names: FieldNames(["files"]), values: [.list(.asset([Asset(assets[2])]))])
                list.sequenceNumber = SampleNumbers.shared.next()
                try await transaction.update([list])
                try await expectUsed([0, 2], "after shortening the list")
                try await transaction.remove([records[1].recordID])
                try await expectUsed([2], "after removing the second of two")
            }
            let used = try await world.backend.read(.public) { try await $0.storedAssets.assetsInUse(among: asked) }
            try expect("The used assets in the end", used, equals: [all[2]])
        },
        ConformanceRule(
            .assets, "removing assets can be rolled back",
            law:
                "A removed asset is not found in the transaction and after it. After a rollback its bytes are kept; added "
                + "again, it exists.",
            source: .storage("StorageMutation.removeAsset(_:)")
        ) { world in
            let bytes = AssetSamples.bytes(1000)
            let asset = try await world.store(bytes)
            struct Abort: Error {}
            do {
                try await world.backend.write(.public) { transaction in
                    try await transaction.apply([.removeAsset(asset.checksum)])
                    try expect(
                        "Inside", try await transaction.storedAssets.assets(for: [asset.checksum]), equals: [nil])
                    throw Abort()
                }
            } catch is Abort {}
            try await world.backend.assetStorage.removeAbandonedAssets(from: .public)
            try expect("The bytes after the rollback", try await world.bytes(of: asset) == bytes, equals: true)
            try await world.backend.write(.public) { try await $0.apply([.removeAsset(asset.checksum)]) }
            try expect("The assets, removed", try await world.storedAssets(in: .public), equals: [])
            try await world.store(bytes)
            try await world.backend.assetStorage.removeAbandonedAssets(from: .public)
            try expect("The bytes, added again", try await world.bytes(of: asset) == bytes, equals: true)
        },
        ConformanceRule(
            .assets, "only abandoned assets are removed as abandoned",
            law:
                "removeAbandonedAssets(from:) keeps uploads that are in progress, and assets that are stored.",
            source: .storage("AssetStorage.removeAbandonedAssets(from:)")
        ) { world in
            let stored = try await world.store(AssetSamples.bytes(100))
            let bytes = AssetSamples.bytes(200, seed: 2)
            let (asset, upload) = try await world.upload(bytes)
            try await world.backend.assetStorage.removeAbandonedAssets(from: .public)
            try await world.backend.write(.public) { try await $0.apply([.addAsset(asset, uploadedAs: upload.id)]) }
            await upload.end()
            try await world.backend.assetStorage.removeAbandonedAssets(from: .public)
            try expect("The upload's bytes", try await world.bytes(of: asset), equals: bytes)
            try expect("The stored bytes", try await world.bytes(of: stored), equals: AssetSamples.bytes(100))
        },
        ConformanceRule(
            .assets, "databases are listed",
            law: "databases() lists every database that was written.", source: .storage("DatabaseListing.databases()"),
            abilities: [.databases]
        ) { world in
            // With more users than a store might list at once.
            let keys: [DatabaseKey] =
                [.public, .private(owner: "_Änna Ö/.."), .private(owner: "_ben"), .shared(owner: "_ben")]
                + (0..<52).map { .private(owner: "_user\($0)") }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for key in keys {
                    group.addTask { try await world.backend.write(key) { try await $0.add([], to: "Samples") } }
                }
                try await group.waitForAll()
            }
            let listing = try require(world.backend.abilities.databases, "The ability to list databases")
            let found = try await listing.databases()
            try expect("The number of listed databases", found.count, equals: Set(found).count)
            try expect(Set(keys).isSubset(of: found), "Of \(keys), the listed databases are \(found).")
        },
    ]
}

extension ConformanceWorld {
    /// Uploads bytes to the public database.
    func upload(_ bytes: Data) async throws -> (StoredAsset, any AssetUpload) {
        let upload = try await backend.assetStorage.beginUpload(to: .public)
        for part in bytes.parts(of: 1 << 20) { try await upload.append(Data(part)) }
        try await upload.finish()
        return (StoredAsset(checksum: Asset.Checksum(of: bytes), size: Int64(bytes.count)), upload)
    }

    /// Stores bytes in the public database.
    @discardableResult
    func store(_ bytes: Data) async throws -> StoredAsset {
        let (asset, upload) = try await upload(bytes)
        try await backend.write(.public) { try await $0.apply([.addAsset(asset, uploadedAs: upload.id)]) }
        await upload.end()
        return asset
    }

    /// The bytes of an asset of the public database, at most a megabyte.
    func bytes(of asset: StoredAsset) async throws -> Data? {
        try await backend.read(.public) { try await $0.storedAssets.bytes(of: asset.checksum, in: 0..<asset.size) }
    }
}

extension Asset.Checksum {
    /// More checksums than a store might look up at once.
    fileprivate static let unknown = (0..<1200).map { Asset.Checksum(of: Data("unknown \($0)".utf8)) }
}
