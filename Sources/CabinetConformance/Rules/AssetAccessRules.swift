import Cabinet
import Foundation
import Synchronization

extension ConformanceRule {
    /// The files that a program reads for an asset, and their permissions.
    static let assetAccess: [ConformanceRule] = [
        ConformanceRule(
            .assets, "a decoded asset has no file",
            law:
                "An asset decoded from text has no file, and saving it fails with assetFileNotFound, unless the decoder "
                + "allows files.",
            source: .cabinet("Assets")
        ) { world in
            let samples = try AssetSamples()
            let secret = AssetSamples.bytes(2000)
            let database = try world.privateDatabase()
            let file = Asset(fileURL: try samples.file("secret", secret))
            let json = try JSONEncoder().encode([Record("Notes", "note", ["title": "x", "file": file])])
            let decoded = try require(JSONDecoder().decode([Record].self, from: json).first, "The record")
            try expect("The file of the decoded asset", try decoded.asset().fileURL, equals: nil)
            try await expectError(.assetFileNotFound, about: .named("note"), in: "file") {
                try await database.save(decoded)
            }
            try await expectError(.assetFileNotFound) { try await decoded.asset().data() }
            // The text may also name a file for bytes that the store does not have.
            let other = try await world.container().publicDatabase.save(Record("Notes", "note", ["file": file]))
            let fetched = try JSONDecoder().decode([Record].self, from: JSONEncoder().encode([other]))
            try expect("The file of the fetched asset", try fetched[0].asset().fileURL, equals: nil)
            try await expectError(.assetNotAvailable, in: "file") {
                try await database.save(Record("Notes", "note", ["file": try fetched[0].asset()]))
            }
            try expect("The stored assets", try await world.storedAssets(), equals: [])
            let decoder = JSONDecoder()
            decoder.decodesAssetFiles = true
            try await database.saveAll(decoder.decode([Record].self, from: json))
            try await expectBytes(try await database.fetch("note").asset(), secret)
        },
        ConformanceRule(
            .assets, "a change that the file's date hides is found",
            law:
                "A file that is overwritten during the copy is never saved half old, half new, even if its date and size stay "
                + "the same.",
            source: .cloudKit("CKError.h")
        ) { world in
            let samples = try AssetSamples()
            let (before, after) = (AssetSamples.bytes(3 << 20), AssetSamples.bytes(3 << 20, seed: 2))
            let file = try samples.file("film", before)
            // A change in the same tick of the file system's clock leaves the date unchanged; this test sets the date
            // back. A date in the future counts as recent, so that the test's duration does not matter.
            let date = Date(
                timeIntervalSinceReferenceDate: (Date().timeIntervalSinceReferenceDate + 3600).rounded() + 0.5)
            try file.setModificationDate(date)
            let isChanged = Mutex(false)
            let database = try world.privateDatabase()
            do {
                try await database.save(Record("Notes", "note", ["file": Asset(fileURL: file)])) { _ in
                    let isFirst = isChanged.withLock { changed in
                        defer { changed = true }
                        return !changed
                    }
                    guard isFirst, let handle = try? FileHandle(forWritingTo: file) else { return }
                    try? handle.write(contentsOf: after)
                    try? handle.close()
                    try? file.setModificationDate(date)
                }
                try await expectBytes(try await database.fetch("note").asset(), before)
            } catch let error as CabinetError where error.code == .assetFileModified {
                try expect("The records", try await database.existing(["note"]), equals: [])
                try expect("The stored assets", try await world.storedAssets(), equals: [])
            }
            try await database.save(Record("Notes", "again", ["file": Asset(fileURL: file)]))
            try await expectBytes(try await database.fetch("again").asset(), after)
        },
        ConformanceRule(
            .assets, "only the user may read a fetched asset's file",
            law: "Neither the group nor others may read the file of a fetched asset, or use its folder.",
            source: .cabinet("FileAccess")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Notes", "note", ["file": Asset(data: AssetSamples.bytes(1000))]))
            let asset = try await database.fetch("note").asset()
            let file = try require(asset.fileURL, "The asset's file")
            for url in [file, file.deletingLastPathComponent()] {
                let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
                let permissions = try require(attributes[.posixPermissions] as? Int, "The permissions of \(url.path)")
                try expect(
                    permissions & 0o077 == 0, "\(url.path) has the mode \(String(permissions, radix: 8)).")
            }
            withExtendedLifetime(asset) {}
        },
    ]
}

extension URL {
    fileprivate func setModificationDate(_ date: Date) throws {
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
    }
}
