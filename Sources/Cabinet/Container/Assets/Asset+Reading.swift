public import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension Asset {
    /// Reads the bytes.
    ///
    /// Bytes from a store are verified, so damaged bytes are never returned.
    ///
    /// - Returns: All bytes, in memory. For large files, ``write(to:)`` needs less memory.
    /// - Throws: ``CabinetError/Code/assetFileNotFound`` if the file does not exist.
    ///   ``CabinetError/Code/assetNotAvailable`` if it cannot be read, or does not have the bytes that were stored.
    ///   ``CabinetError/Code/assetFileModified`` if an unsaved file changes during the read.
    ///   ``CabinetError/Code/operationCancelled`` if the task is cancelled.
    public func data() async throws -> Data {
        try await BlockingExecutor.once {
            var all = Data()
            try readAll { all.append($0) }
            return all
        }
    }

    /// Writes the bytes to a file, in parts.
    ///
    /// Bytes from a store are verified before the file gets its name. On failure, no new file exists, and an existing
    /// file of that name is unchanged.
    ///
    /// A new file has the mode 0600. A file that replaces another one has the permissions of that file.
    ///
    /// - Parameter fileURL: The URL of the file to write. An existing file is replaced.
    /// - Throws: The errors of ``data()``, and ``CabinetError/Code/permissionFailure`` or
    ///   ``CabinetError/Code/quotaExceeded`` if the file cannot be written.
    public func write(to fileURL: URL) async throws {
        try await BlockingExecutor.once {
            let partial = try PartialFile(ofAssetAt: fileURL)
            try readAll { try partial.append($0) }
            partial.takePermissions()
            try partial.finish(isDurable: false)
        }
    }

    private func readAll(_ body: (Data) throws -> Void) throws {
        var bytes = try AssetBytes(self)
        while let chunk = try bytes.next() {
            if Task.isCancelled {
                throw CabinetError(.operationCancelled, "The task was cancelled while an asset was read.")
            }
            try body(chunk)
        }
    }
}

extension PartialFile {
    /// Creates a file with the bytes of an asset.
    convenience init(ofAssetAt target: URL) throws(CabinetError) {
        try self.init(at: target) { number in
            CabinetError(
                Disk.code(of: number, otherwise: .assetNotAvailable),
                "The file \(target.path) cannot be written: \(String(cString: strerror(number))). An existing file is unchanged."
            )
        }
    }
}
