import Cabinet
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// An upload into a file of this session.
///
/// The requirements are asynchronous, but these methods block the calling thread during file operations.
final class SQLiteAssetUpload: AssetUpload {
    let id: UUID
    private let path: String
    private let store: AssetStore
    /// The open file; `nil` once the upload is finished.
    private let descriptor: Mutex<Int32?>

    init(id: UUID, path: String, descriptor: Int32, store: AssetStore) {
        self.id = id
        self.path = path
        self.store = store
        self.descriptor = Mutex(descriptor)
    }

    deinit {
        end()
    }

    func append(_ bytes: Data) throws {
        try descriptor.withLock { descriptor in
            guard let descriptor else { throw isFinished }
            try bytes.withUnsafeBytes { try AssetFile.write($0, to: descriptor, path: path) }
        }
    }

    func clone(_ file: URL) throws -> URL? {
        try descriptor.withLock { descriptor in
            guard var target = descriptor else { throw isFinished }
            guard let source = try? AssetFile.openForReading(file.path, followsLinks: true) else { return nil }
            defer { close(source) }
            if try linkOwnFile(source, named: file.lastPathComponent) {
                close(target)
                descriptor = nil
            } else {
                guard FileClone.clone(source, to: &target, path: path) else { return nil }
                descriptor = target
            }
            return URL(fileURLWithPath: path)
        }
    }

    /// Links a file of this container, if the source is one.
    ///
    /// Such a file is complete and read-only. A caller's own file is never linked, because the caller may change it later.
    ///
    /// - Returns: Whether the file was linked.
    private func linkOwnFile(_ source: Int32, named name: String) throws -> Bool {
        guard let checksum = Asset.Checksum(hexadecimal: name.prefix(64)) else { return false }
        var status = stat()
        let file = store.poolFile(checksum)
        guard fstat(source, &status) == 0, let own = AssetFile.status(file), own.isSameFile(as: status) else {
            return false
        }
        let link = path + ".link"
        defer { unlink(link) }
        guard AssetFile.link(file, to: link) == 0, AssetFile.status(link)?.isSameFile(as: status) == true else {
            return false
        }
        guard rename(link, path) == 0 else { throw AssetFile.failure(errno, path) }
        return true
    }

    func finish() throws {
        try descriptor.withLock { descriptor in
            guard let open = descriptor else { return }
            try AssetFile.seal(open, path: path, store.access)
            close(open)
            descriptor = nil
        }
    }

    func end() {
        descriptor.withLock { descriptor in
            if let open = descriptor { close(open) }
            descriptor = nil
        }
        store.endUpload(id)
    }

    private var isFinished: CabinetError {
        CabinetError(.internalError, "The upload \(path) is finished or ended. Begin another one for other bytes.")
    }
}
