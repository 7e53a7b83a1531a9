public import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The users that may read and write the files and folders that a store creates, independent of the umask of the process.
///
/// It applies to new files and folders; existing ones keep their permissions.
public enum FileAccess: Sendable, Hashable {
    /// The user of the process alone: files have the mode 0600, and folders 0700.
    case owner

    /// The user and the group: files have the mode 0660, and folders 0770.
    ///
    /// New files get the group of the process. To give them the group of their folder, create the store's folder yourself, with
    /// the set-group-ID bit: `install -d -g records -m 2770 /var/lib/shopping`.
    case group

    /// The permissions of a new file.
    public var filePermissions: UInt16 {
        switch self {
        case .owner: 0o600
        case .group: 0o660
        }
    }

    /// The permissions of a new folder.
    public var directoryPermissions: UInt16 {
        switch self {
        case .owner: 0o700
        case .group: 0o770
        }
    }

    /// Creates a file and opens it for reading and writing.
    ///
    /// - Parameter path: The path of the file. If something has that path, also a symbolic link, creating the file fails.
    /// - Returns: The descriptor of the file, which the caller closes.
    /// - Throws: The error of the system, such as `EEXIST`.
    public func createFile(atPath path: String) throws(POSIXError) -> Int32 {
        let descriptor = open(
            path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(filePermissions))
        guard descriptor >= 0 else { throw POSIXError(number: errno) }
        // The umask may have taken permissions away.
        guard fchmod(descriptor, mode_t(filePermissions)) == 0 else {
            let error = POSIXError(number: errno)
            close(descriptor)
            unlink(path)
            throw error
        }
        return descriptor
    }

    /// Creates a folder, unless it exists.
    ///
    /// - Parameters:
    ///   - path: The path of the folder. A symbolic link may lead to a folder that exists.
    ///   - withIntermediateDirectories: Whether to create the folders above it that are missing.
    /// - Returns: Whether the folder is new.
    /// - Throws: The error of the system, such as `EACCES`, or `ENOTDIR` if something else has the path.
    @discardableResult
    public func createDirectory(
        atPath path: String, withIntermediateDirectories: Bool = true
    ) throws(POSIXError) -> Bool {
        do {
            try makeDirectory(path)
            return true
        } catch {
            if isDirectory(path) { return false }
            let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
            guard error.code == .ENOENT, withIntermediateDirectories, parent != path else {
                throw error.code == .EEXIST ? POSIXError(.ENOTDIR) : error
            }
            try createDirectory(atPath: parent)
            return try createDirectory(atPath: path, withIntermediateDirectories: false)
        }
    }

    private func makeDirectory(_ path: String) throws(POSIXError) {
        var status = stat()
        guard mkdir(path, mode_t(directoryPermissions)) == 0, lstat(path, &status) == 0 else {
            throw POSIXError(number: errno)
        }
        let permissions = mode_t(directoryPermissions)
        if status.st_mode & 0o777 == permissions { return }
        // The umask may have taken permissions away. The set-group-ID bit that the folder above has passed on stays.
        guard chmod(path, status.st_mode & 0o7000 | permissions) == 0 else { throw POSIXError(number: errno) }
    }

    private func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}

extension POSIXError {
    /// Creates the error of a system error number.
    fileprivate init(number: Int32) {
        self.init(POSIXErrorCode(rawValue: number) ?? .EIO)
    }
}
