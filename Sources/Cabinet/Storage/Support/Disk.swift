package import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Calls that bring bytes and names of files to the disk, and wait for it.
///
/// A closure makes the error of an error number of the system, because only the caller knows what the file is for.
package enum Disk {
    /// Writes all bytes to an open file.
    package static func write<Failure: Error>(
        _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, _ failure: (Int32) -> Failure
    ) throws(Failure) {
        var rest = bytes
        while !rest.isEmpty {
            #if canImport(Darwin)
            let count = Darwin.write(descriptor, rest.baseAddress, rest.count)
            #elseif canImport(Musl)
            let count = Musl.write(descriptor, rest.baseAddress, rest.count)
            #else
            let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            #endif
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(count < 0 ? errno : EIO) }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
    }

    /// Waits until the bytes of an open file are on the disk.
    package static func synchronize<Failure: Error>(
        _ descriptor: Int32, _ failure: (Int32) -> Failure
    ) throws(Failure) {
        let number = flush(descriptor)
        if number != 0 { throw failure(number) }
    }

    /// Waits until the names in a folder are on the disk.
    ///
    /// File systems that do not support this need no synchronization of folders.
    ///
    /// - Parameter skipsUnreadable: Whether a folder is skipped that this user may write to, but not read.
    package static func synchronize<Failure: Error>(
        folder path: String, skipsUnreadable: Bool = false, _ failure: (Int32) -> Failure
    ) throws(Failure) {
        let descriptor = open(path.isEmpty ? "." : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if skipsUnreadable, errno == EACCES { return }
            throw failure(errno)
        }
        defer { close(descriptor) }
        let number = flush(descriptor)
        if ![0, EINVAL, ENOTSUP, EOPNOTSUPP, EBADF].contains(number) { throw failure(number) }
    }

    /// Creates a folder and the missing ones above it, and waits until their names are on the disk.
    package static func createFolder(at folder: URL, attributes: [FileAttributeKey: Any]? = nil) throws {
        let files = FileManager.default
        var parents: [String] = []
        var path = folder.absoluteURL.path
        while path.count > 1, !files.fileExists(atPath: path) {
            path = NSString(string: path).deletingLastPathComponent
            parents.append(path)
        }
        try files.createDirectory(at: folder, withIntermediateDirectories: true, attributes: attributes)
        for parent in parents {
            try synchronize(folder: parent, skipsUnreadable: true) { POSIXError(POSIXErrorCode(rawValue: $0) ?? .EIO) }
        }
    }

    /// Returns the code of an error number of the system for a file that cannot be written.
    ///
    /// - Parameter other: The code of all numbers but those of full disks and missing permissions.
    package static func code(
        of number: Int32, otherwise other: CabinetError.Code = .internalError
    ) -> CabinetError.Code {
        switch number {
        case ENOSPC, EDQUOT, EFBIG: .quotaExceeded
        case EACCES, EPERM, EROFS: .permissionFailure
        default: other
        }
    }

    /// Waits until an open file or folder is on the disk, and returns the system's error number; 0 on success.
    private static func flush(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
        // On Apple's systems, fsync returns before the disk has written the bytes. F_FULLFSYNC waits for the disk, on file
        // systems that have it.
        repeat {
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
        } while errno == EINTR
        guard [ENOTSUP, EINVAL, ENOTTY].contains(errno) else { return errno }
        #endif
        repeat {
            if fsync(descriptor) == 0 { return 0 }
        } while errno == EINTR
        return errno
    }
}
