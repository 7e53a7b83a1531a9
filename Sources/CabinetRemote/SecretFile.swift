import Cabinet
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file with a secret, which its owner alone can read.
struct SecretFile: Sendable {
    let url: URL

    /// The number of bytes that are read at most.
    private static let maximumSize = 65_536

    /// Reads the file.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if it cannot be read, and
    ///   ``/Cabinet/CabinetError/Code/permissionFailure`` if others can read or change it.
    func read() throws(CabinetError) -> Data {
        guard let handle = try? FileHandle(forReadingFrom: url) else {
            throw CabinetError(.invalidArguments, "The file of credentials \(url.path) cannot be read.")
        }
        var status = stat()
        // Of the open file: that of its name could be another one by now.
        guard fstat(handle.fileDescriptor, &status) == 0, status.st_mode & 0o077 == 0 else {
            throw CabinetError(
                .permissionFailure,
                "Others can read or change \(url.path), which has a secret. Restrict it, and replace the secret: chmod 600 FILE"
            )
        }
        return (try? handle.read(upToCount: Self.maximumSize)) ?? Data()
    }

    /// Writes the file, which replaces an earlier one at one instant.
    ///
    /// Afterwards, a loss of power does not lose it.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/quotaExceeded``, ``/Cabinet/CabinetError/Code/permissionFailure`` or
    ///   ``/Cabinet/CabinetError/Code/internalError`` if it cannot be written.
    func write(_ bytes: Data) throws {
        let file = try PartialFile(at: url) { [url] number in
            CabinetError(Disk.code(of: number), "\(url.path) cannot be written: \(String(cString: strerror(number))).")
        }
        try file.append(bytes)
        try file.finish()
    }
}
