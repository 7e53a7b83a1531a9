public import Foundation

extension Asset {
    /// Reads the bytes.
    ///
    /// What came from a store is verified: a byte that was changed there is never taken for the right one.
    ///
    /// - Returns: All bytes, in memory; for large files, ``write(to:)`` needs less.
    /// - Throws: ``CabinetError/Code/assetFileNotFound`` if there is no file, ``CabinetError/Code/assetNotAvailable`` if it cannot
    ///   be read, or does not have the bytes that were stored, ``CabinetError/Code/assetFileModified`` if a file that was not saved yet is
    ///   written to meanwhile, and ``CabinetError/Code/operationCancelled``.
    public func data() async throws -> Data {
        try await BlockingExecutor.once {
            var all = Data()
            try readAll { all.append($0) }
            return all
        }
    }

    /// Writes the bytes to a file, some at a time.
    ///
    /// What came from a store is verified before the file gets its name; if that fails, there is no file, and what there was before under
    /// the name is still there.
    ///
    /// A new file has the mode 0600. One that replaces another file has the permissions of that file.
    ///
    /// - Parameter fileURL: Where to; a file that is there is replaced.
    /// - Throws: What ``data()`` throws, and ``CabinetError/Code/permissionFailure`` or ``CabinetError/Code/quotaExceeded`` if the file
    ///   cannot be written.
    public func write(to fileURL: URL) async throws {
        try await BlockingExecutor.once {
            let partial = try PartialFile(replacing: fileURL)
            try readAll { try partial.append($0) }
            try partial.finish()
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
