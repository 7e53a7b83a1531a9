public import Cabinet
import Foundation

extension SQLiteBackend: DatabaseListing {
    /// Returns the databases that have a file, or the log of a missing one.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/permissionFailure`` or ``/Cabinet/CabinetError/Code/badContainer`` if the directory cannot
    ///   be read.
    public func databases() async throws -> [DatabaseKey] {
        try await assets.run(on: assets.upkeepExecutor) { assets in
            guard StoreFile.mayExist(at: assets.parent) else { return [] }
            do {
                return try StoreFile.databases(in: assets.parent)
            } catch let error as POSIXError {
                let isDenied = [.EACCES, .EPERM].contains(error.code)
                throw CabinetError(
                    isDenied ? .permissionFailure : .badContainer,
                    "The store's directory \(assets.parent) cannot be read. Check that it is a directory, and that this user may "
                        + "read it.", underlyingError: error
                ).ofStore
            }
        }
    }
}
