import Cabinet
import Foundation
import Synchronization

/// An upload: rows of bytes that no asset has yet.
///
/// Each part is a transaction of its own, so that a large file keeps nobody waiting for long; after a connection that broke it is
/// stored again, in the same place.
final class PostgresUpload: AssetUpload {
    /// The most bytes of a part, which is as much as the core hands over at once.
    static let partSize: Int64 = 1 << 20

    let id = UUID()
    private let backend: PostgresBackend
    private let database: DatabaseKey
    private let state = Mutex<(size: Int64, isOver: Bool)>((0, false))

    init(to database: DatabaseKey, in backend: PostgresBackend) {
        self.database = database
        self.backend = backend
    }

    /// What the rows of an upload are called.
    static func name(_ id: UUID) -> String { id.uuidString.lowercased() }

    func begin() async throws {
        let name = Self.name(id)
        try await backend.writeAssets(database) { try $0.noteUpload(name) }
    }

    func append(_ bytes: Data) async throws {
        let name = Self.name(id)
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = Data(rest.prefix(Int(Self.partSize)))
            rest = rest.dropFirst(part.count)
            let start = state.withLock(\.size)
            try await backend.writeAssets(database) { view in
                try view.noteUpload(name)
                try view.store(part, of: name, at: start)
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
        // What cannot be removed now is removed as abandoned.
        _ = try? await backend.writeAssets(database) { try $0.endUploads([name]) }
    }
}
