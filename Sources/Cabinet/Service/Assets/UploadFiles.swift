package import Foundation
import Synchronization

/// Files with the bytes of uploads, for a service that sends an asset as a whole.
///
/// An upload that no call has named for an hour is ended when the next one begins.
package final class UploadFiles: Sendable {
    private struct Upload {
        let file: URL
        var hash = SHA256()
        var size: Int64 = 0
        var lastUse = ContinuousClock.now
        /// Set once the upload is finished.
        var asset: StoredAsset?
    }

    private struct State {
        var uploads: [UUID: Upload] = [:]
        var directory: TemporaryDirectory?
    }

    private let idleLimit: Duration
    private let state = Mutex(State())

    /// Creates an object without files.
    package init(idleLimit: Duration = .seconds(3600)) {
        self.idleLimit = idleLimit
    }

    /// Begins an upload.
    ///
    /// - Throws: ``CabinetError/Code/quotaExceeded`` if the file cannot be created, and ``CabinetError/Code/permissionFailure`` if the folder for
    ///   it is not the user's own.
    package func begin() throws -> UUID {
        let id = UUID()
        let idle = try state.withLock { state in
            let directory = try state.directory ?? TemporaryDirectory(for: "uploads")
            state.directory = directory
            let file = directory.url.appendingPathComponent(id.uuidString)
            guard FileManager.default.createFile(atPath: file.path, contents: nil) else {
                throw CabinetError(.quotaExceeded, "The file \(file.path) for an upload cannot be created.")
            }
            defer { state.uploads[id] = Upload(file: file) }
            return state.uploads.filter { .now - $0.value.lastUse > idleLimit }.keys
        }
        end(Array(idle))
        return id
    }

    /// Appends bytes to an upload, without those that it has already.
    ///
    /// - Throws: ``CabinetError/Code/unknownItem`` if there is no such upload, ``CabinetError/Code/invalidArguments`` if bytes before these are
    ///   missing or the upload is finished, ``CabinetError/Code/limitExceeded`` for more bytes than one call may have, and
    ///   ``CabinetError/Code/quotaExceeded`` if they cannot be written.
    package func append(_ bytes: Data, to id: UUID, at offset: Int64) throws {
        try StoredAsset.check(part: Int64(bytes.count))
        try state.withLock { state in
            guard var upload = state.uploads[id] else { throw Self.unknown }
            guard 0...upload.size ~= offset, upload.asset == nil else {
                throw CabinetError(
                    .invalidArguments, "The upload has \(upload.size) bytes, and the next ones begin at \(offset).")
            }
            let new = bytes.dropFirst(Int(min(upload.size - offset, Int64(bytes.count))))
            do {
                let handle = try FileHandle(forWritingTo: upload.file)
                defer { try? handle.close() }
                // The end may have bytes of a call that failed.
                try handle.seek(toOffset: UInt64(upload.size))
                try handle.write(contentsOf: new)
            } catch {
                throw CabinetError(.quotaExceeded, "The bytes of an upload cannot be written.", underlyingError: error)
            }
            upload.hash.update(Data(new))
            upload.size += Int64(new.count)
            upload.lastUse = .now
            state.uploads[id] = upload
        }
    }

    /// Finishes an upload, and returns the asset that its bytes are; a further call returns the same.
    ///
    /// - Throws: ``CabinetError/Code/unknownItem`` if there is no such upload.
    package func finish(_ id: UUID) throws -> StoredAsset {
        try state.withLock { state in
            guard var upload = state.uploads[id] else { throw Self.unknown }
            let asset = upload.asset ?? StoredAsset(checksum: upload.hash.checksum, size: upload.size)
            (upload.asset, upload.lastUse) = (asset, .now)
            state.uploads[id] = upload
            return asset
        }
    }

    /// Returns the file of an upload.
    ///
    /// - Throws: ``CabinetError/Code/unknownItem`` if there is no such upload.
    package func file(of id: UUID) throws -> URL {
        try state.withLock { state in
            guard let upload = state.uploads[id] else { throw Self.unknown }
            return upload.file
        }
    }

    /// Returns the file of a finished upload with an asset; `nil` if there is none.
    package func file(of asset: StoredAsset) -> URL? {
        state.withLock { $0.uploads.values.first { $0.asset == asset }?.file }
    }

    /// Removes the files of uploads; unknown IDs are passed over.
    package func end(_ ids: [UUID]) {
        let files = state.withLock { state in ids.compactMap { state.uploads.removeValue(forKey: $0)?.file } }
        for file in files { try? FileManager.default.removeItem(at: file) }
    }

    /// Removes all files.
    package func close() {
        let directory = state.withLock { state in
            defer { state = State() }
            return state.directory
        }
        directory?.remove()
    }

    private static let unknown = CabinetError(.unknownItem, "There is no such upload, or it has ended.")
}
