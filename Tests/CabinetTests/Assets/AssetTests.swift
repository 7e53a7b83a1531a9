import Cabinet
import Foundation
import Testing

@Suite("Assets: values")
struct AssetTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("assets-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    @Test("Assets are equal by what they are made of, and once stored, by their bytes")
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

    @Test("An asset comes back from its coding")
    func coding() throws {
        let stored = StoredAsset(checksum: Asset.Checksum(of: Data()), size: 0)
        for asset in [Asset(fileURL: folder), Asset(data: Data([1, 2])), Asset(stored)] {
            let decoded = try JSONDecoder().decode(Asset.self, from: JSONEncoder().encode(asset))
            #expect(decoded == asset)
            #expect(decoded.fileURL == asset.fileURL)
        }
        #expect(throws: DecodingError.self) {
            let text = #"{"checksum":"\#(stored.checksum)","size":-1}"#
            _ = try JSONDecoder().decode(Asset.self, from: Data(text.utf8))
        }
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

    @Test("What cannot be read or written is told, and leaves nothing behind")
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

    @Test("A pipe that nobody writes to keeps nobody waiting", .timeLimit(.minutes(1)))
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
