import Cabinet
import CabinetTesting
import Foundation

extension ConformanceRule {
    /// The lifetime of an asset's bytes.
    static let assetLifetimes: [ConformanceRule] = [
        ConformanceRule(
            .assets, "bytes are removed with the last record that has them",
            law: "An asset stays as long as a record has it, in a field or a list, and is removed with its last use.",
            source: .cabinet("Assets")
        ) { world in
            let database = try world.privateDatabase()
            let shared = Asset(data: AssetSamples.bytes(100))
            var kept = try await database.saveAll([
                Record("Notes", "a", ["file": shared]), Record("Notes", "b", ["file": shared]),
                Record("Others", "c", ["files": [shared, Asset(data: Data("x".utf8))]]),
            ])
            func expectSizes(_ sizes: [Int64], _ after: String) async throws {
                try expect(
                    "The stored assets after \(after)", try await world.storedAssets().map(\.size).sorted(),
                    equals: sizes)
            }
            try await expectSizes([1, 100], "saving")
            try await database.deleteAll(["a"])
            try await expectSizes([1, 100], "deleting one of three")
            kept[1]["file"] = Asset(data: Data("replaced".utf8))
            try await database.save(kept[1])
            try await expectSizes([1, 8, 100], "replacing it in another")
            kept[2] = try await database.save(kept[2].with(["files": [shared]]))
            try await expectSizes([8, 100], "shortening a list")
            try await database.save(kept[2].with(["files": nil]))
            try await expectSizes([8], "removing the last field that had it")
            try await database.deleteAll(["b"])
            try await expectSizes([], "deleting the last record")
        },
        ConformanceRule(
            .assets, "bytes are removed with records that a cascade or a zone deletes",
            law:
                "Assets of records that are deleted by a cascade, or with their zone, are removed if no other record has them.",
            source: .cabinet("Assets")
        ) { world in
            let database = try world.privateDatabase()
            let shared = Asset(data: Data("shared".utf8))
            try await database.saveAll([
                Record("Lists", "list"),
                Record("Items", "item", ["list": Reference("list", .deleteSelf), "file": shared]),
                Record("Items", "own", ["list": Reference("list", .deleteSelf), "file": Asset(data: Data("o".utf8))]),
            ])
            let zone = try await database.save(RecordZone(zoneName: "Album"))
            for (name, asset) in [("one", shared), ("two", Asset(data: Data("tw".utf8)))] {
                var record = Record(recordType: "Items", recordID: RecordID(recordName: name, zoneID: zone.zoneID))
                record["file"] = asset
                try await database.save(record)
            }
            try expect("The stored assets", try await world.storedAssets().map(\.size).sorted(), equals: [1, 2, 6])
            try await database.deleteRecord(withID: .named("list"))
            try expect("The stored assets", try await world.storedAssets().map(\.size).sorted(), equals: [2, 6])
            try await database.deleteRecordZone(withID: zone.zoneID)
            try expect("The stored assets", try await world.storedAssets(), equals: [])
        },
        ConformanceRule(
            .assets, "a reader keeps its file",
            law:
                "The file of a fetched asset does not change until the container is closed, even if its record is deleted or gets "
                + "another asset.",
            source: .cabinet("Assets")
        ) { world in
            let bytes = AssetSamples.bytes(2000)
            let database = try world.privateDatabase()
            let note = try await database.save(Record("Notes", "note", ["file": Asset(data: bytes)]))
            let fetched = try await world.privateDatabase().fetch("note").asset()
            try await database.save(note.with(["file": Asset(data: Data("other".utf8))]))
            try await database.deleteAll(["note"])
            try await world.backend.assetStorage.removeAbandonedAssets(
                from: .private(owner: ConformanceWorld.account.userRecordName))
            try expect("The stored assets", try await world.storedAssets(), equals: [])
            try await expectBytes(fetched, bytes)
            try await expectBytes(try note.asset(), bytes)
        },
        ConformanceRule(
            .assets, "a removal that fails is made up for",
            law: "Assets that a failed transaction should have removed are removed with those of the next deletion.",
            source: .cabinet("Assets")
        ) { world in
            let backend = FaultInjectingBackend(world.backend)
            let database = try Container(
                identifier: "com.example.conformance", backend: backend, account: ConformanceWorld.account,
                now: world.clock.now
            ).privateDatabase
            try await database.saveAll(
                ["a", "b", "c"].map { Record("Notes", $0, ["file": Asset(data: Data("file \($0)".utf8))]) })
            // The first transaction deletes the record, the second one removes its asset.
            backend.inject(.failure(.zoneBusy), on: .write, at: 2)
            try await database.deleteAll(["a"])
            try expect("The stored assets after a failure", try await world.storedAssets().count, equals: 3)
            try await database.deleteAll(["b"])
            let kept = Asset.Checksum(of: Data("file c".utf8))
            try expect("The stored assets", try await world.storedAssets().map(\.checksum), equals: [kept])
        },
        ConformanceRule(
            .assets, "bytes belong to a database",
            law:
                "An asset of one database is not found in another, and its lifetime depends on the records of its own.",
            source: .cabinet("Assets")
        ) { world in
            let container = try world.container()
            let asset = Asset(data: Data("both".utf8))
            try await container.privateDatabase.save(Record("Notes", "note", ["file": asset]))
            try expect("The public assets", try await world.storedAssets(in: .public), equals: [])
            try await container.publicDatabase.save(Record("Notes", "note", ["file": asset]))
            try await container.privateDatabase.deleteAll(["note"])
            try await expectBytes(try await container.publicDatabase.fetch("note").asset(), Data("both".utf8))
            try expect("The private assets", try await world.storedAssets(), equals: [])
            try expect("The public assets", try await world.storedAssets(in: .public).count, equals: 1)
        },
        ConformanceRule(
            .assets, "bytes survive closing and reopening the store",
            law: "The bytes of a saved record's assets are the same after the store was closed and reopened.",
            source: .cabinet("Assets"), needsReopening: true
        ) { world in
            let bytes = AssetSamples.bytes(100_000)
            try await world.privateDatabase().saveAll([
                Record("Notes", "note", ["file": Asset(data: bytes), "files": [Asset(data: bytes)]]),
                Record("Notes", "gone", ["file": Asset(data: Data("gone".utf8))]),
            ])
            try await world.privateDatabase().deleteAll(["gone"])
            try await world.reopened { world in
                let note = try await world.privateDatabase().fetch("note")
                try await expectBytes(try note.asset(), bytes)
                try expect("The stored assets", try await world.storedAssets().count, equals: 1)
                try await world.privateDatabase().deleteAll(["note"])
                try expect("The stored assets", try await world.storedAssets(), equals: [])
            }
        },
        ConformanceRule(
            .assets, "deleted assets take no room",
            law:
                "After 300 assets were saved and deleted, none is left, and a directory has less than half of their bytes.",
            source: .storage("StorageMutation.removeAsset(_:)")
        ) { world in
            let database = try world.privateDatabase()
            let (count, size) = (300, 16_000)
            func saveAndDelete(_ numbers: Range<Int>) async throws {
                let records = numbers.map { number in
                    Record("Notes", "r\(number)", ["file": Asset(data: Data("\(number)".utf8) + Data(count: size))])
                }
                try await database.saveAll(records)
                try await database.deleteAll(records.map(\.recordID.recordName))
            }
            try await saveAndDelete(0..<10)
            let before = try world.directory.map(bytes)
            for start in stride(from: 0, to: count, by: 100) { try await saveAndDelete(start..<start + 100) }
            let key = DatabaseKey.private(owner: ConformanceWorld.account.userRecordName)
            try await world.backend.assetStorage.removeAbandonedAssets(from: key)
            try expect("The stored assets", try await world.storedAssets(), equals: [])
            // A backend may keep the files that it has handed out until it is closed.
            await world.backend.close()
            if let before, let directory = world.directory {
                let more = try bytes(in: directory) - before
                try expect(more < count * size / 2, "The directory has grown by \(more) bytes.")
            }
        },
    ]
}

/// The number of bytes in the files of a directory.
private func bytes(in directory: URL) throws -> Int {
    let names = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
    return names.reduce(0) { sum, name in
        // Another thread may have removed the file.
        let attributes = try? FileManager.default.attributesOfItem(atPath: directory.appendingPathComponent(name).path)
        guard attributes?[.type] as? FileAttributeType == .typeRegular else { return sum }
        return sum + (attributes?[.size] as? Int ?? 0)
    }
}
