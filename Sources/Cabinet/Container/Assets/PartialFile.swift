import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A file that is written under a temporary name and renamed when it is complete, by blocking calls.
final class PartialFile {
    private let target: URL
    private let path: String
    private var descriptor: Int32

    /// Creates the file.
    ///
    /// - Parameter target: The final location of the file.
    init(replacing target: URL) throws(CabinetError) {
        self.target = target
        path = target.deletingLastPathComponent().appendingPathComponent(".\(UUID().uuidString).partial").path
        do {
            descriptor = try FileAccess.owner.createFile(atPath: path)
        } catch {
            descriptor = -1
            throw Self.failure(error.code.rawValue, writing: target)
        }
    }

    deinit {
        guard descriptor >= 0 else { return }
        close(descriptor)
        unlink(path)
    }

    /// Appends bytes.
    func append(_ bytes: Data) throws(CabinetError) {
        let code = bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                if count < 0 { return errno }
                rest = rest.dropFirst(count)
            }
            return 0
        }
        if code != 0 { throw Self.failure(code, writing: target) }
    }

    /// Moves the file to its final location, with the permissions of the file that it replaces.
    func finish() throws(CabinetError) {
        var status = stat()
        if lstat(target.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
            fchmod(descriptor, status.st_mode & 0o777)
        }
        guard rename(path, target.path) == 0 else { throw Self.failure(errno, writing: target) }
        close(descriptor)
        descriptor = -1
    }

    private static func failure(_ code: Int32, writing target: URL) -> CabinetError {
        let reason = String(cString: strerror(code))
        let message = "The file \(target.path) cannot be written: \(reason). An existing file is unchanged."
        switch code {
        case ENOSPC, EDQUOT, EFBIG: return CabinetError(.quotaExceeded, message)
        case EACCES, EPERM, EROFS: return CabinetError(.permissionFailure, message)
        default: return CabinetError(.assetNotAvailable, message)
        }
    }
}
