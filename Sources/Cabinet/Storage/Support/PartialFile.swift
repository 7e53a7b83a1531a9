package import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A file that is written under another name in its folder, and named when it is complete, by blocking calls.
///
/// Its owner alone can read it. If it is not named, nothing of it remains.
package final class PartialFile {
    private let target: URL
    private let path: String
    private let failure: (Int32) -> CabinetError
    private let descriptor: Int32

    /// Creates the file.
    ///
    /// - Parameters:
    ///   - target: The final location of the file.
    ///   - failure: Makes the error of an error number of the system.
    package init(at target: URL, _ failure: @escaping (Int32) -> CabinetError) throws(CabinetError) {
        (self.target, self.failure) = (target, failure)
        path = target.deletingLastPathComponent().appendingPathComponent(".\(UUID().uuidString).partial").path
        do {
            descriptor = try FileAccess.owner.createFile(atPath: path)
        } catch {
            throw failure(error.code.rawValue)
        }
    }

    deinit {
        close(descriptor)
        // Without effect once the file has its final name.
        unlink(path)
    }

    /// Appends bytes.
    package func append(_ bytes: Data) throws {
        try bytes.withUnsafeBytes { try Disk.write($0, to: descriptor, failure) }
    }

    /// Gives the file the permissions of the one that it replaces, if there is one.
    func takePermissions() {
        var status = stat()
        if lstat(target.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
            fchmod(descriptor, status.st_mode & 0o777)
        }
    }

    /// Names the file, which replaces another one at one instant.
    ///
    /// - Parameter isDurable: Whether the file is on the disk afterwards, under its name. A loss of power during the call leaves one
    ///   of both files, and all of it.
    package func finish(isDurable: Bool = true) throws(CabinetError) {
        if isDurable { try Disk.synchronize(descriptor, failure) }
        guard rename(path, target.path) == 0 else { throw failure(errno) }
        if isDurable { try synchronizeFolder() }
    }

    /// Names the file, which is on the disk afterwards, unless another one has the name.
    package func finishUnlessNamed() throws(CabinetError) {
        try Disk.synchronize(descriptor, failure)
        guard link(path, target.path) == 0 || errno == EEXIST else { throw failure(errno) }
        unlink(path)
        try synchronizeFolder()
    }

    /// The file has its name already, so the folder is skipped if it cannot be read.
    private func synchronizeFolder() throws(CabinetError) {
        try Disk.synchronize(folder: target.deletingLastPathComponent().path, skipsUnreadable: true, failure)
    }
}
