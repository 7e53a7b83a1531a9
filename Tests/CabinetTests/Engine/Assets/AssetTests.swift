import Foundation
import Testing

@testable import Cabinet

@Suite("Assets: values")
struct AssetTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("assets-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    @Test("Assets are equal by their source, and once stored, by their bytes")
    func equality() async throws {
        let url = folder.appendingPathComponent("a")
        try Data("a".utf8).write(to: url)
        #expect(Asset(fileURL: url) == Asset(fileURL: url))
        #expect(Asset(fileURL: url) != Asset(data: Data("a".utf8)))
        let container = try Container(identifier: "com.example.test", backend: MemoryBackend())
        var record = Record(recordType: "Notes")
        record["file"] = Asset(fileURL: url)
        record = try await container.privateDatabase.save(record)
        var other = Record(recordType: "Notes")
        other["file"] = Asset(data: Data("a".utf8))
        other = try await container.privateDatabase.save(other)
        #expect(record["file"] as? Asset == other["file"] as? Asset)
        #expect(record["file"] as? Asset != Asset(fileURL: url))
        record["file"] = Asset(fileURL: url)
        #expect(record.changedKeys() == ["file"])
        try? FileManager.default.removeItem(at: folder)
    }

    @Test("An asset is restored from its coding")
    func coding() throws {
        let stored = StoredAsset(checksum: Asset.Checksum(of: Data()), size: 0)
        let decoder = JSONDecoder()
        #expect(!decoder.decodesAssetFiles)
        decoder.decodesAssetFiles = true
        let fetched = Asset(.stored(stored, fileURL: folder))
        for asset in [Asset(fileURL: folder), Asset(data: Data([1, 2])), Asset(stored), fetched] {
            let decoded = try decoder.decode(Asset.self, from: JSONEncoder().encode(asset))
            #expect(decoded == asset)
            #expect(decoded.fileURL == asset.fileURL)
        }
        #expect(throws: DecodingError.self) {
            let text = #"{"checksum":"\#(stored.checksum)","size":-1}"#
            _ = try JSONDecoder().decode(Asset.self, from: Data(text.utf8))
        }
    }

    @Test("A decoded asset has no file, and is restored from its coding")
    func decodedFiles() async throws {
        try Data("secret".utf8).write(to: folder.appendingPathComponent("secret"))
        let url = folder.appendingPathComponent("secret")
        let stored = StoredAsset(checksum: Asset.Checksum(of: Data("secret".utf8)), size: 6)
        for asset in [Asset(fileURL: url), Asset(.stored(stored, fileURL: url))] {
            let coded = try JSONEncoder().encode([asset])
            let list = try PropertyListEncoder().encode([asset])
            for decoded in try JSONDecoder().decode([Asset].self, from: coded)
                + PropertyListDecoder().decode([Asset].self, from: list)
            {
                #expect(decoded.fileURL == nil)
                #expect(decoded.size == asset.size)
                await expect(asset.stored == nil ? .assetFileNotFound : .assetNotAvailable) { try await decoded.data() }
            }
            let decoder = PropertyListDecoder()
            decoder.decodesAssetFiles = true
            #expect(decoder.decodesAssetFiles)
            let allowed = try decoder.decode([Asset].self, from: list)[0]
            #expect(try await allowed.data() == Data("secret".utf8))
        }
        // A coding that names a file keeps the name, so that the text can be passed on.
        let coded = try JSONEncoder().encode([Asset(fileURL: url)])
        let decoded = try JSONDecoder().decode([Asset].self, from: coded)
        #expect(try JSONEncoder().encode(decoded) == coded)
        #expect(decoded != [Asset(fileURL: url)])
        #expect("\(decoded[0])" == url.path)
        let error = await #expect(throws: CabinetError.self) { try await decoded[0].data() }
        #expect(error?.message.contains(url.path) == true)
        #expect(error?.message.contains("decodesAssetFiles") == true)
        try? FileManager.default.removeItem(at: folder)
    }

    @Test("A change in the same tick of the clock is found", arguments: [1, 1_500_000])
    func hiddenChange(size: Int) throws {
        let url = folder.appendingPathComponent("a")
        let (old, new) = (Data(repeating: 1, count: size), Data(repeating: 2, count: size))
        // A date in the future counts as recent, so that the machine's speed does not matter.
        let date = Date(timeIntervalSinceNow: 3600.5)
        func write(_ bytes: Data) throws {
            let handle = try FileHandle(forWritingTo: url)
            try handle.write(contentsOf: bytes)
            try handle.close()
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: url.path)
        }
        try old.write(to: url)
        try write(old)
        var bytes = try AssetBytes(Asset(fileURL: url))
        _ = try bytes.next()
        try write(new)
        let error = #expect(throws: CabinetError.self) { while try bytes.next() != nil {} }
        #expect(error?.code == .assetFileModified)
        bytes = try AssetBytes(Asset(fileURL: url))
        while try bytes.next() != nil {}
        #expect(bytes.stored.checksum == Asset.Checksum(of: new))
        // A clone that was created during a change is detected by its original.
        bytes = try AssetBytes(Asset(fileURL: url))
        let torn = StoredAsset(checksum: Asset.Checksum(of: old), size: Int64(size))
        let tornError = #expect(throws: CabinetError.self) { try bytes.checkEnd(torn) }
        #expect(tornError?.code == .assetFileModified)
        try bytes.checkEnd(StoredAsset(checksum: Asset.Checksum(of: new), size: Int64(size)))
        try? FileManager.default.removeItem(at: folder)
    }

    @Test("Only the user may read a written file, and a replaced file keeps its permissions")
    func permissions() async throws {
        let copy = folder.appendingPathComponent("copy")
        func mode() throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: copy.path)[.posixPermissions] as? Int
        }
        try await Asset(data: Data([1])).write(to: copy)
        #expect(try mode() == 0o600)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: copy.path)
        try await Asset(data: Data([2])).write(to: copy)
        #expect(try mode() == 0o644)
        #expect(try Data(contentsOf: copy) == Data([2]))
        try? FileManager.default.removeItem(at: folder)
    }

    @Test("An asset that was not saved can be read, and written elsewhere")
    func reading() async throws {
        let bytes = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0) })
        let url = folder.appendingPathComponent("a")
        try bytes.write(to: url)
        let copy = folder.appendingPathComponent("copy")
        try Data("old".utf8).write(to: copy)
        try await Asset(fileURL: url).write(to: copy)
        #expect(try Data(contentsOf: copy) == bytes)
        #expect(try await Asset(data: bytes).data() == bytes)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["a", "copy"])
        try? FileManager.default.removeItem(at: folder)
    }

    @Test("A failure to read or write is reported, and leaves no files")
    func failures() async throws {
        let missing = Asset(fileURL: folder.appendingPathComponent("missing"))
        await expect(.assetFileNotFound) { try await missing.data() }
        await expect(.assetNotAvailable) { try await Asset(fileURL: folder).data() }
        let web = try #require(URL(string: "https://example.com/a.png"))
        await expect(.assetNotAvailable) { try await Asset(fileURL: web).data() }
        let kept = folder.appendingPathComponent("kept")
        try Data("kept".utf8).write(to: kept)
        await expect(.assetFileNotFound) { try await missing.write(to: kept) }
        #expect(try Data(contentsOf: kept) == Data("kept".utf8))
        await expect(.assetNotAvailable) {
            try await Asset(data: Data([1])).write(to: folder.appendingPathComponent("no/such/folder"))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["kept"])
        try? FileManager.default.removeItem(at: folder)
    }

    @Test("A pipe without a writer does not block", .timeLimit(.minutes(15)))
    func pipe() async throws {
        let url = folder.appendingPathComponent("pipe")
        #expect(mkfifo(url.path, 0o600) == 0)
        await expect(.assetNotAvailable) { try await Asset(fileURL: url).data() }
        try? FileManager.default.removeItem(at: folder)
    }

    private func expect<Result>(_ code: CabinetError.Code, _ body: () async throws -> Result) async {
        await #expect {
            _ = try await body()
        } throws: {
            ($0 as? CabinetError)?.code == code
        }
    }
}
