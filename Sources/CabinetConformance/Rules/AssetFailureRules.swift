import Cabinet
import Foundation
import Synchronization

extension ConformanceRule {
    /// Failures of saving an asset.
    static let assetFailures: [ConformanceRule] = [
        ConformanceRule(
            .assets, "a missing file fails its record",
            law:
                "A record whose asset's file is missing, or not a file, is not saved, and the failure names the field; others of a "
                + "batch that is not atomic are saved.",
            source: .cloudKit("CKError.h")
        ) { world in
            let samples = try AssetSamples()
            let database = try world.privateDatabase()
            let missing = Asset(fileURL: samples.folder.appendingPathComponent("missing"))
            let records = [
                Record("Notes", "missing", ["title": "x", "file": missing]),
                Record("Notes", "folder", ["files": [Asset(fileURL: samples.folder)]]),
                Record("Notes", "good", ["file": Asset(data: Data("good".utf8))]),
            ]
            let failures = try await database.failures(saving: records)
            try await expectError(.assetFileNotFound, about: .named("missing"), in: "file") {
                try failures[.named("missing")]?.get()
            }
            try await expectError(.assetNotAvailable, in: "files") { try failures[.named("folder")]?.get() }
            try await expectFailure(failures[.named("good")], .batchRequestFailed)
            try expect("The stored assets", try await world.storedAssets(), equals: [])
            let single = try await database.modifyRecords(saving: records, deleting: [], atomically: false)
            try await expectFailure(single.saveResults[.named("missing")], .assetFileNotFound)
            try expect("The records", try await database.names("Notes"), equals: ["good"])
        },
        ConformanceRule(
            .assets, "a file that changes during a save is never mixed",
            law:
                "If a file is written to during the copy, the record has the bytes that the file had, or is not saved: "
                + "assetFileModified.",
            source: .cloudKit("CKError.h")
        ) { world in
            let samples = try AssetSamples()
            let before = AssetSamples.bytes(3 << 20)
            let file = try samples.file("film", before)
            let isChanged = Mutex(false)
            let database = try world.privateDatabase()
            do {
                try await database.save(Record("Notes", "note", ["file": Asset(fileURL: file)])) { _ in
                    let isFirst = isChanged.withLock { changed in
                        defer { changed = true }
                        return !changed
                    }
                    // The whole file changes, so that a mixture of old and new bytes would be visible.
                    if isFirst { try? AssetSamples.bytes(3 << 20, seed: 2).overwrite(file) }
                }
                try await expectBytes(try await database.fetch("note").asset(), before)
            } catch let error as CabinetError where error.code == .assetFileModified {
                try expect("The records", try await database.existing(["note"]), equals: [])
                try expect("The stored assets", try await world.storedAssets(), equals: [])
            }
        },
        ConformanceRule(
            .assets, "a failed save stores no bytes",
            law: "The assets of records that are not saved are not stored.", source: .cabinet("Assets")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Notes", "note", ["title": "old"]))
            try await expectError(.serverRecordChanged) {
                try await database.save(Record("Notes", "note", ["file": Asset(data: Data("new".utf8))]))
            }
            try await expectError(.invalidArguments, in: "title") {
                try await database.save(Record("Notes", "other", ["title": 1, "file": Asset(data: Data("new".utf8))]))
            }
            try await expectError(.zoneNotFound) {
                let id = RecordID(recordName: "x", zoneID: RecordZone.ID(zoneName: "nowhere"))
                var record = Record(recordType: "Notes", recordID: id)
                record["file"] = Asset(data: Data("new".utf8))
                try await database.save(record)
            }
            try expect("The stored assets", try await world.storedAssets(), equals: [])
        },
        ConformanceRule(
            .assets, "a conflict keeps the client's asset",
            law: "A conflict's client record has the asset that it tried to save, its server record one without a "
                + "file; merging them saves the asset.",
            source: .cloudKit("CKAsset.h")
        ) { world in
            let database = try world.privateDatabase()
            let stale = try await database.save(Record("Notes", "note", ["file": Asset(data: Data("first".utf8))]))
            try await database.save(stale.with(["title": "Rome"]))
            let mine = Asset(data: Data("mine".utf8))
            let error = try await expectError(.serverRecordChanged) {
                try await database.save(stale.with(["file": mine]))
            }
            let conflict = try require(error.conflict, "The conflict")
            try expect("The client's asset", try conflict.clientRecord.asset(), equals: mine)
            try expect("The server's file", try conflict.serverRecord.asset().fileURL, equals: nil)
            try expect("The server's size", try conflict.serverRecord.asset().size, equals: 5)
            try await database.save(stale.with(["file": mine]), resolvingConflictsWith: .clientWins)
            let merged = try await database.fetch("note")
            try expect("The title", merged["title"] as? String, equals: "Rome")
            try await expectBytes(try merged.asset(), Data("mine".utf8))
        },
        ConformanceRule(
            .assets, "an asset without bytes is refused",
            law: "An asset whose bytes are neither in the store nor in a file cannot be saved: assetNotAvailable.",
            source: .cloudKit("CKError.h")
        ) { world in
            let checksum = try require(Asset.Checksum([UInt8](repeating: 1, count: 32)), "A checksum")
            let lost = Asset(StoredAsset(checksum: checksum, size: 10))
            try await expectError(.assetNotAvailable, in: "file") {
                try await world.privateDatabase().save(Record("Notes", "note", ["file": lost]))
            }
            try await expectError(.assetNotAvailable) { try await lost.data() }
            try expect("The records", try await world.privateDatabase().names("Notes"), equals: [])
        },
    ]
}

extension Data {
    /// Overwrites the bytes of a file in place.
    fileprivate func overwrite(_ file: URL) throws {
        let handle = try FileHandle(forWritingTo: file)
        try handle.write(contentsOf: self)
        try handle.close()
    }
}
