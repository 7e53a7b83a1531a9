public import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A directory for temporary files, which is removed after its owner.
///
/// The owner holds a lock on the directory, which the system releases when the process ends for any reason. Creating another
/// directory beside it removes the abandoned ones. On file systems without locks, only the owner removes its directory.
///
/// All calls block on the disk. Do not make them on a cooperative thread.
public final class TemporaryDirectory: Sendable {
    /// The directory, which is empty at first.
    public let url: URL

    /// The descriptor that holds the lock; `nil` once the directory is removed.
    private let lock: Mutex<Int32?>

    private static let lockSuffix = ".lock"

    /// Creates a directory, and removes the abandoned ones beside it.
    ///
    /// - Parameters:
    ///   - parent: The directory to create it in, which is created if it is missing.
    ///   - access: The users that may use the directories.
    /// - Throws: ``CabinetError/Code/permissionFailure`` if this user may not write there, ``CabinetError/Code/quotaExceeded`` if
    ///   the disk is full, and otherwise ``CabinetError/Code/badContainer``.
    public init(in parent: URL, access: FileAccess = .owner) throws {
        try Self.createDirectory(parent.path, access)
        Self.removeAbandoned(in: parent)
        // Another process may remove the file before it is locked here. Then try again with a new name.
        for _ in 0..<100 {
            let url = parent.appendingPathComponent(UUID().uuidString.lowercased(), isDirectory: true)
            guard let descriptor = try Self.lockedFile(at: url.path + Self.lockSuffix, access) else { continue }
            do {
                try Self.createDirectory(url.path, access)
            } catch {
                unlink(url.path + Self.lockSuffix)
                close(descriptor)
                throw error
            }
            self.url = url
            lock = Mutex(descriptor)
            return
        }
        throw Self.failure(EBUSY, parent.path)
    }

    /// Creates a directory for a purpose, in a folder that this user has for it: `TMPDIR/cabinet-uploads-1000`.
    ///
    /// - Parameter purpose: A word for the folder's name. Directories of one word share the folder, and each new one removes the abandoned ones.
    /// - Throws: The errors of ``init(inOwn:)``.
    convenience package init(for purpose: String) throws {
        try self.init(
            inOwn: FileManager.default.temporaryDirectory.appendingPathComponent("cabinet-\(purpose)-\(geteuid())"))
    }

    /// Creates a directory in a folder that no other user may write to, because other users could replace the files in it.
    ///
    /// - Parameter parent: The folder, which is created if it is missing.
    /// - Throws: ``CabinetError/Code/permissionFailure`` if the folder belongs to another user, or others may write to it, and the errors of
    ///   ``init(in:access:)``.
    convenience init(inOwn parent: URL) throws {
        _ = try? FileAccess.owner.createDirectory(atPath: parent.path, withIntermediateDirectories: false)
        var status = stat()
        guard lstat(parent.path, &status) == 0 else { throw Self.failure(errno, parent.path) }
        guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
            throw CabinetError(
                .permissionFailure,
                "The folder \(parent.path) for the bytes of assets belongs to another user, or other users may write to it. Remove it, or set "
                    + "TMPDIR to a folder of this user's own.")
        }
        try self.init(in: parent)
    }

    deinit {
        remove()
    }

    /// Removes the abandoned directories, whose owners have ended.
    ///
    /// - Parameter parent: The directory that they were created in; it need not exist.
    /// - Returns: The number of removed files.
    @discardableResult
    public static func removeAbandoned(in parent: URL) -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
        let owned = names.map { $0.hasSuffix(lockSuffix) ? String($0.dropLast(lockSuffix.count)) : $0 }
        // Files with other names do not belong to this type.
        return Set(owned.filter { UUID(uuidString: $0) != nil }).reduce(0) { count, name in
            count + removeIfAbandoned(parent.appendingPathComponent(name, isDirectory: true).path)
        }
    }

    /// Removes the directory with all files in it, and releases the lock.
    ///
    /// Deallocating the object does the same. A second call has no effect.
    public func remove() {
        lock.withLock { descriptor in
            guard let held = descriptor else { return }
            descriptor = nil
            Self.removeLocked(url.path)
            close(held)
        }
    }

    private static func removeIfAbandoned(_ path: String) -> Int {
        // A directory whose lock file is missing was copied from elsewhere: opening creates and locks the file first.
        let descriptor = open(path + lockSuffix, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return 0 }
        defer { close(descriptor) }
        // If another process removed the file before it was locked here, nothing is left to remove.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, isLinked(descriptor) else { return 0 }
        return removeLocked(path)
    }

    /// Removes a directory whose lock the caller holds.
    @discardableResult
    private static func removeLocked(_ path: String) -> Int {
        let count = removeTree(path)
        // Remove the lock's file last: an incompletely removed directory can then be found again.
        if access(path, F_OK) != 0 { unlink(path + lockSuffix) }
        return count
    }

    /// Removes a directory and everything in it, without following links.
    ///
    /// - Returns: The number of removed files.
    private static func removeTree(_ path: String) -> Int {
        var pending = [path]
        var directories: [String] = []
        var count = 0
        while let directory = pending.popLast() {
            directories.append(directory)
            for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [] {
                let entry = directory + "/" + name
                var status = stat()
                guard lstat(entry, &status) == 0 else { continue }
                if status.st_mode & S_IFMT == S_IFDIR {
                    pending.append(entry)
                } else if unlink(entry) == 0 {
                    count += 1
                }
            }
        }
        for directory in directories.reversed() { rmdir(directory) }
        return count
    }

    private static func createDirectory(_ path: String, _ access: FileAccess) throws {
        do {
            try access.createDirectory(atPath: path)
        } catch {
            throw failure(error.code.rawValue, path)
        }
    }

    /// Creates and locks a file.
    ///
    /// - Returns: The descriptor; `nil` if another process has removed the file before it was locked.
    private static func lockedFile(at path: String, _ access: FileAccess) throws -> Int32? {
        let descriptor: Int32
        do {
            descriptor = try access.createFile(atPath: path)
        } catch {
            throw failure(error.code.rawValue, path)
        }
        // Another process holds the lock only while it checks whether the directory is abandoned. If the file system has no
        // locks, no process gets one.
        while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
        if isLinked(descriptor) { return descriptor }
        close(descriptor)
        return nil
    }

    /// Whether an open file still has a name.
    private static func isLinked(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_nlink > 0
    }

    static func failure(_ number: Int32, _ path: String) -> CabinetError {
        let reason = String(cString: strerror(number))
        return switch number {
        case EACCES, EPERM, EROFS:
            CabinetError(
                .permissionFailure,
                "The directory \(path) for temporary files cannot be created (\(reason)). Make the directory above it writable "
                    + "for this user.")
        case ENOSPC, EDQUOT:
            CabinetError(
                .quotaExceeded,
                "The directory \(path) for temporary files cannot be created (\(reason)). Free space on its disk and try again."
            )
        default:
            CabinetError(
                .badContainer,
                "The directory \(path) for temporary files cannot be created (\(reason)). Check that the path is right and that "
                    + "this user may write there.")
        }
    }
}
