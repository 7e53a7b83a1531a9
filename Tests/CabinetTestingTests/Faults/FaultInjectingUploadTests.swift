import Cabinet
import CabinetTesting
import Foundation
import Synchronization
import Testing

@Suite("Uploads with injected faults")
struct FaultInjectingUploadTests {
    /// A backend that records the steps of its uploads.
    private final class UploadLog: WrappingBackend, AssetStorage, DatabaseListing, AssetUpload {
        let base: any StorageBackend = MemoryBackend()
        private let log = Mutex<[String]>([])
        let id = UUID()

        var steps: [String] { log.withLock { $0 } }

        private func note(_ step: String) { log.withLock { $0.append(step) } }

        var abilities: StorageAbilities { StorageAbilities(databases: self, assets: self) }

        func close() async { note("close") }

        func beginUpload(to database: DatabaseKey) async throws -> any AssetUpload {
            note("begin")
            return self
        }

        func databases() async throws -> [DatabaseKey] { [.public] }

        func files(of assets: [StoredAsset], in database: DatabaseKey) async throws -> [URL?]? { [nil] }

        func removeAbandonedAssets(from database: DatabaseKey) async throws -> Int { 7 }

        func clone(_ file: URL) async throws -> URL? { file }

        func append(_ bytes: Data) async throws { note("append \(bytes.count)") }

        func finish() async throws { note("finish") }

        func end() async { note("end") }
    }

    private let base = UploadLog()

    @Test("Each step of an upload can fail, and the others go through")
    func steps() async throws {
        let backend = FaultInjectingBackend(base)
        backend.inject(.failure(.networkFailure), on: .upload, at: 3)
        let upload = try await #require(backend.abilities.assets).beginUpload(to: .public)
        #expect(upload.id == base.id)
        try await upload.append(Data(count: 3))
        await #expect(throws: CabinetError.self) { try await upload.append(Data(count: 4)) }
        backend.inject(.connectionLostAfterCommit(), on: .upload)
        await #expect { try await upload.append(Data(count: 5)) } throws: { CabinetError.Code.serverResponseLost ~= $0 }
        #expect(try await upload.clone(URL(fileURLWithPath: "/a")) == URL(fileURLWithPath: "/a"))
        try await upload.finish()
        await upload.end()
        #expect(base.steps == ["begin", "append 3", "append 5", "finish", "end"])
        #expect(backend.calls.map(\.kind) == Array(repeating: .upload, count: 6))
    }

    @Test("An upload that its caller never receives is ended")
    func lostBeginning() async throws {
        let backend = FaultInjectingBackend(base)
        backend.inject(.connectionLostAfterCommit(), on: .upload)
        let assets = try #require(backend.abilities.assets)
        await #expect(throws: CabinetError.self) { try await assets.beginUpload(to: .public) }
        #expect(base.steps == ["begin", "end"])
    }

    @Test("All other calls about assets reach the other backend")
    func passingThrough() async throws {
        let backend = FaultInjectingBackend(base)
        #expect(try await backend.abilities.databases?.databases() == [.public])
        let assets = try #require(backend.abilities.assets)
        #expect(try await assets.files(of: [], in: .public) == [nil])
        #expect(try await assets.removeAbandonedAssets(from: .public) == 7)
        await backend.close()
        #expect(base.steps == ["close"])
    }
}
