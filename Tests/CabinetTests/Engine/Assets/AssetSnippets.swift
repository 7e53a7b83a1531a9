import Cabinet
import Foundation
import Synchronization
import Testing

@Suite("The article about assets: its programs run")
struct AssetSnippets {
    @Test func savingAndReading() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "assets-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let photo = folder.appendingPathComponent("photo.png")
        let copy = folder.appendingPathComponent("copy.png")
        let picture = Data(repeating: 7, count: 3_000_000)
        try picture.write(to: photo)
        let container = try Container(
            identifier: "com.example.notes", backend: MemoryBackend())
        let database = container.privateDatabase

        // snippet: save
        var note = Record(recordType: "Notes")
        note["title"] = "Rome"
        note["image"] = Asset(fileURL: photo)
        note = try await database.save(note)
        // end

        func show(_ bytes: Data, _ size: Int64?, _ file: URL?) {
            #expect(
                bytes == picture && size == 3_000_000 && file != nil && file != photo)
        }
        // snippet: read
        if let image = try await database.record(for: note.recordID)["image"]
            as? Asset
        {
            let bytes = try await image.data()
            try await image.write(to: copy)
            show(bytes, image.size, image.fileURL)
        }
        // end
        #expect(try Data(contentsOf: copy) == picture)

        let last = Mutex(0.0)
        @Sendable func show(_ fraction: Double) { last.withLock { $0 = fraction } }
        try (picture + picture).write(to: photo)
        note["image"] = Asset(fileURL: photo)
        // snippet: progress
        try await database.save(note) { progress in
            show(progress.fractionCompleted)
        }
        // end
        #expect(last.withLock { $0 } == 1)

        let savedEdits = try JSONEncoder().encode([
            try await database.record(for: note.recordID)
        ])
        // snippet: decode
        let decoder = JSONDecoder()
        decoder.decodesAssetFiles = true
        let edits = try decoder.decode([Record].self, from: savedEdits)
        // end
        #expect(try await database.save(edits[0]) != note)
        await container.close()
    }
}
