import Cabinet
import Foundation
import Synchronization

/// Files with the bytes of uploads, until a request names their records.
final class UploadFiles: Sendable {
    private struct File {
        let url: URL
        let handle: FileHandle
        var hash = SHA256()
        var size: Int64 = 0
    }

    private struct State {
        var files: [UUID: File] = [:]
        var directory: TemporaryDirectory?
    }

    private let state = Mutex(State())

    /// Creates an empty file.
    func begin() throws -> UUID {
        let id = UUID()
        try state.withLock { state in
            let parent = FileManager.default.temporaryDirectory.appendingPathComponent("cabinet-uploads-\(geteuid())")
            let directory = try state.directory ?? TemporaryDirectory(inOwn: parent)
            state.directory = directory
            let url = directory.url.appendingPathComponent(id.uuidString)
            guard FileManager.default.createFile(atPath: url.path, contents: nil) else {
                throw CabinetError(.quotaExceeded, "There is no file for an upload in \(directory.url.path).")
            }
            state.files[id] = File(url: url, handle: try FileHandle(forWritingTo: url))
        }
        return id
    }

    /// Appends bytes, without those that the file has already.
    func append(_ bytes: Data, to id: UUID, at offset: Int64) throws {
        try state.withLock { state in
            guard var file = state.files[id] else { throw Self.unknown }
            guard 0...file.size ~= offset else {
                throw CabinetError(.invalidArguments, "Bytes of the upload are missing before \(offset).")
            }
            let new = bytes.dropFirst(Int(min(file.size - offset, Int64(bytes.count))))
            do {
                try file.handle.write(contentsOf: new)
            } catch {
                throw CabinetError(.quotaExceeded, "The bytes of an upload cannot be kept.", underlyingError: error)
            }
            file.hash.update(Data(new))
            file.size += Int64(new.count)
            state.files[id] = file
        }
    }

    /// Returns the asset that the bytes are.
    func asset(of id: UUID) throws -> StoredAsset {
        try state.withLock { state in
            guard let file = state.files[id] else { throw Self.unknown }
            return StoredAsset(checksum: file.hash.checksum, size: file.size)
        }
    }

    /// Returns the file with the bytes.
    func url(of id: UUID) throws -> URL {
        try state.withLock { state in
            guard let file = state.files[id] else { throw Self.unknown }
            return file.url
        }
    }

    /// Removes files.
    func end(_ ids: [UUID]) {
        let files = state.withLock { state in ids.compactMap { state.files.removeValue(forKey: $0) } }
        for file in files {
            try? file.handle.close()
            try? FileManager.default.removeItem(at: file.url)
        }
    }

    /// Removes all files.
    func close() {
        end(state.withLock { Array($0.files.keys) })
        state.withLock { $0.directory.take() }?.remove()
    }

    private static let unknown = CabinetError(.unknownItem, "There is no such upload.")
}
