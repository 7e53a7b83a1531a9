public import Foundation

extension Asset {
    /// Reads the bytes.
    ///
    /// What came from a store is verified: a byte that was changed there is never taken for the right one.
    ///
    /// - Returns: All bytes, in memory; for large files, ``write(to:)`` needs less.
    /// - Throws: ``CabinetError/Code/assetFileNotFound`` if there is no file, and ``CabinetError/Code/assetNotAvailable`` if it cannot
    ///   be read, or does not have the bytes that were stored.
    public func data() async throws -> Data {
        throw CabinetError(.assetNotAvailable, "This version of Cabinet cannot store assets.")
    }

    /// Writes the bytes to a file, some at a time.
    ///
    /// What came from a store is verified before the file gets its name; if that fails, there is no file, and what there was before under
    /// the name is still there.
    ///
    /// - Parameter fileURL: Where to; a file that is there is replaced.
    /// - Throws: What ``data()`` throws, and ``CabinetError/Code/permissionFailure`` or ``CabinetError/Code/quotaExceeded`` if the file
    ///   cannot be written.
    public func write(to fileURL: URL) async throws {
        throw CabinetError(.assetNotAvailable, "This version of Cabinet cannot store assets.")
    }
}
