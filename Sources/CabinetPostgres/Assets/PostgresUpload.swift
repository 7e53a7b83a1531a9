import Cabinet
import Foundation
import Synchronization

/// An upload: rows of bytes that do not belong to an asset yet.
///
/// Each part is stored in its own transaction, so that a large file blocks other writers only briefly. If the connection
/// breaks, the same part is stored again at the same offset.
final class PostgresUpload: AssetUpload {
    /// The size limit of a part in bytes, which is as much as the core passes at once.
    static let partSize: Int64 = 1 << 20

    let id = UUID()
    private let backend: PostgresBackend
    private let database: DatabaseKey
    private let state = Mutex<(size: Int64, isOver: Bool)>((0, false))

    init(to database: DatabaseKey, in backend: PostgresBackend) {
        self.database = database
        self.backend = backend
    }

    /// Returns the name that the rows of an upload have in `content`.
    static func name(_ id: UUID) -> String { id.uuidString.lowercased() }

    func begin() async throws {
        let name = Self.name(id)
        try await backend.writeAssets(database) { try $0.touchUpload(name) }
    }

    func append(_ bytes: Data) async throws {
        let name = Self.name(id)
        for part in bytes.parts(of: Int(Self.partSize)) {
            let start = state.withLock(\.size)
            try await backend.writeAssets(database) { context in
                try context.touchUpload(name)
                try context.store(Data(part), of: name, at: start)
            }
            state.withLock { $0.size += Int64(part.count) }
        }
    }

    func clone(_ file: URL) -> URL? { nil }

    func finish() {
        // Each part was durable when it was stored.
    }

    func end() async {
        let isFirst = state.withLock { state in
            defer { state.isOver = true }
            return !state.isOver
        }
        guard isFirst else { return }
        let name = Self.name(id)
        // If this fails, the rows are removed later as an abandoned upload.
        _ = try? await backend.writeAssets(database) { try await $0.endUploads([name]) }
    }
}
