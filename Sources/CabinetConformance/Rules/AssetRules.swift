import Cabinet
import Foundation
import Synchronization

extension ConformanceRule {
    /// Assets that are saved and fetched.
    static let assets: [ConformanceRule] = [
        ConformanceRule(
            .assets, "a file's bytes are stored",
            law:
                "A saved asset has the bytes, the size and the checksum of its file, in a file of its own; the original "
                + "stays, and may change or be removed.",
            source: .cloudKit("CKAsset.h")
        ) { world in
            let samples = try AssetSamples()
            let bytes = AssetSamples.bytes(70_000)
            let original = try samples.file("photo.jpg", bytes)
            let database = try world.privateDatabase()
            let saved = try await database.save(Record("Notes", "note", ["file": Asset(fileURL: original)]))
            try expect(try Data(contentsOf: original) == bytes, "The original was changed.")
            try Data("something else".utf8).write(to: original)
            try await expectBytes(try saved.asset(), bytes)
            try FileManager.default.removeItem(at: original)
            let fetched = try await database.fetch("note").asset()
            try await expectBytes(fetched, bytes)
            try expect("The checksum", try saved.asset().checksum, equals: fetched.checksum)
        },
        ConformanceRule(
            .assets, "assets of every size are stored",
            law: "An asset may be empty, and may have any size.", source: .cabinet("Assets")
        ) { world in
            let database = try world.privateDatabase()
            let megabyte = 1 << 20
            for count in [0, 1, 63, 64, 65, megabyte - 1, megabyte, megabyte + 1, 2 * megabyte + 7] {
                let bytes = AssetSamples.bytes(count)
                try await database.save(Record("Notes", "\(count)", ["file": Asset(data: bytes)]))
                try await expectBytes(try await database.fetch("\(count)").asset(), bytes)
            }
        },
        ConformanceRule(
            .assets, "the checksum is SHA-256",
            law: "The checksum of an asset is the SHA-256 of its bytes.", source: .cabinet("Assets")
        ) { world in
            let asset = try await world.privateDatabase()
                .save(Record("Notes", "abc", ["file": Asset(data: Data("abc".utf8))])).asset()
            try expect(
                "The checksum of abc", asset.checksum?.description,
                equals: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        },
        ConformanceRule(
            .assets, "lists of assets are stored",
            law: "A list of assets keeps its order and its repetitions.", source: .cloudKit("CKRecord.h")
        ) { world in
            let database = try world.privateDatabase()
            let parts = [3, 1, 2, 1].map { AssetSamples.bytes(100 * $0, seed: UInt64($0)) }
            try await database.save(
                Record("Notes", "note", ["files": parts.map(Asset.init(data:)), "none": 1]))
            let files = try require(try await database.fetch("note")["files"] as? [Asset], "The list of assets")
            try expect("The number of assets", files.count, equals: 4)
            for (file, bytes) in zip(files, parts) { try await expectBytes(file, bytes) }
            try expect("The stored assets", try await world.storedAssets().count, equals: 3)
        },
        ConformanceRule(
            .assets, "the same bytes are stored once",
            law:
                "A database stores equal bytes once, regardless of the number of records and of the files that they were read from.",
            source: .cabinet("Assets")
        ) { world in
            let samples = try AssetSamples()
            let bytes = AssetSamples.bytes(5000)
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Notes", "a", ["file": Asset(fileURL: try samples.file("a", bytes))]),
                Record(
                    "Notes", "b", ["file": Asset(fileURL: try samples.file("b", bytes)), "again": Asset(data: bytes)]),
            ])
            try await database.save(Record("Others", "c", ["files": [Asset(data: bytes)]]))
            try expect("The stored assets", try await world.storedAssets().map(\.size), equals: [5000])
        },
        ConformanceRule(
            .assets, "every kind of fetch returns assets with files",
            law:
                "Records have their assets' files when they are fetched, queried, observed or among the changes of a zone; "
                + "desired keys leave assets out.",
            source: .cloudKit("CKAsset.h")
        ) { world in
            let database = try world.privateDatabase()
            let bytes = AssetSamples.bytes(1000)
            try await database.save(Record("Notes", "note", ["file": Asset(data: bytes), "title": "Rome"]))
            let query = Query(recordType: "Notes", filter: .constant(true))
            try await expectBytes(try await database.fetch("note").asset(), bytes)
            for record in try await database.allRecords(matching: query) {
                try await expectBytes(try record.asset(), bytes)
            }
            let changes = try await database.recordZoneChanges(inZoneWith: .default, since: nil)
            for modification in changes.modificationResultsByID.values {
                try await expectBytes(try modification.get().record.asset(), bytes)
            }
            for try await records in database.observe(query) {
                try expect("The observed records", records.count, equals: 1)
                for record in records { try await expectBytes(try record.asset(), bytes) }
                break
            }
            let results = try await database.records(for: [.named("note")], desiredKeys: ["title"])
            let record = try require(try results[.named("note")]?.get(), "The record")
            try expect("The keys", record.allKeys(), equals: ["title"])
        },
        ConformanceRule(
            .assets, "a fetched asset can be saved again",
            law:
                "A record that is saved without a new asset keeps its asset; another record, or another database, "
                + "that gets a fetched asset has the same bytes.",
            source: .cabinet("Assets")
        ) { world in
            let container = try world.container()
            let database = container.privateDatabase
            let bytes = AssetSamples.bytes(3000)
            var note = try await database.save(Record("Notes", "note", ["file": Asset(data: bytes)]))
            note["title"] = "Rome"
            try expect("The changed keys", note.changedKeys(), equals: ["title"])
            note = try await database.save(note)
            try await expectBytes(try note.asset(), bytes)
            try await database.save(Record("Notes", "copy", ["file": try note.asset()]))
            try await container.publicDatabase.save(Record("Notes", "published", ["file": try note.asset()]))
            try await database.deleteAll(["note"])
            try await expectBytes(try await database.fetch("copy").asset(), bytes)
            try await expectBytes(try await container.publicDatabase.fetch("published").asset(), bytes)
            try await database.deleteAll(["copy"])
            try await database.save(Record("Notes", "late", ["file": try note.asset()]))
            try await expectBytes(try await database.fetch("late").asset(), bytes)
        },
        ConformanceRule(
            .assets, "progress is reported up to the end",
            law:
                "While assets are copied, a save reports the number of bytes copied so far, which never decreases and ends at the total.",
            source: .cloudKit("CKModifyRecordsOperation.h")
        ) { world in
            let reports = Mutex<[AssetProgress]>([])
            let count = (1 << 20) * 5 / 2
            let samples = try AssetSamples()
            let same = Asset(fileURL: try samples.file("same", Data(count: 10)))
            let record = Record(
                "Notes", "note",
                [
                    "file": Asset(data: AssetSamples.bytes(count)), "other": Asset(data: Data(count: 10)),
                    "files": [same, same],
                ])
            try await world.privateDatabase().save(record) { progress in reports.withLock { $0.append(progress) } }
            let all = reports.withLock { $0 }
            let completed = all.map(\.completedBytes)
            try expect(completed.count >= 4, "Progress was reported \(completed.count) times.")
            try expect("The order of progress", completed, equals: completed.sorted())
            try expect("The last progress", completed.last, equals: Int64(count + 20))
            try expect("The last fraction", all.last?.fractionCompleted, equals: 1)
            try expect("The totals", Set(all.map(\.totalBytes)), equals: [Int64(count + 20)])
            try expect("The records", Set(all.map(\.recordID)), equals: [.named("note")])
            try expect("The fields", Set(all.map(\.fieldKey)), equals: ["file", "other", "files"])
        },
    ]
}
