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

    /// Writes a new file.
    func create(_ bytes: Data) throws {
        let descriptor = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CabinetError(
                .invalidArguments, "\(url.path) cannot be created: \(String(cString: strerror(errno))).")
        }
        do {
            try FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).write(contentsOf: bytes)
        } catch {
            // A part of a secret is of no use.
            try? FileManager.default.removeItem(at: url)
            let number = ((error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError)?.code
            let reason = number.map { String(cString: strerror(Int32($0))) } ?? error.localizedDescription
            throw CabinetError(.invalidArguments, "\(url.path) cannot be written: \(reason).", underlyingError: error)
        }
    }

    /// Replaces the file by another one, at one instant.
    func replace(by bytes: Data) throws {
        let new = SecretFile(url: url.appendingPathExtension(UUID().uuidString))
        try new.create(bytes)
        guard rename(new.url.path, url.path) == 0 else {
            try? FileManager.default.removeItem(at: new.url)
            throw CabinetError(.permissionFailure, "\(url.path) cannot be replaced.")
        }
    }
}
