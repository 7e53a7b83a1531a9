public import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A directory for files that nobody needs any more once its owner is gone.
///
/// The owner holds a lock on it, which the system releases when the process ends, in whatever way. Whoever makes the next one beside
/// it removes those whose owners are gone. Where the file system knows no locks, only the owner removes it.
///
/// These calls wait for the disk: make them where that may be.
public final class TemporaryDirectory: Sendable {
    /// The directory, which is empty at first.
    public let url: URL

    /// The file that is locked, and the descriptor that holds its lock; `nil` once the directory is removed.
    private let lock: Mutex<Int32?>

    private static let lockSuffix = ".lock"

    /// Creates a directory, and removes those beside it whose owners are gone.
    ///
    /// - Parameters:
    ///   - parent: The directory to create it in, which is created if it is missing.
    ///   - access: Who may use the directories.
    /// - Throws: ``CabinetError/Code/permissionFailure`` if this user may not write there, ``CabinetError/Code/quotaExceeded`` if the disk
    ///   is full, and otherwise ``CabinetError/Code/badContainer``.
    public init(in parent: URL, access: FileAccess = .owner) throws {
        try Self.createDirectory(parent.path, access)
        Self.removeAbandoned(in: parent)
        // Between creating the file and locking it, somebody may take it for an abandoned one; then one begins anew.
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

    deinit {
        remove()
    }

    /// Removes the directories whose owners are gone.
    ///
    /// - Parameter parent: The directory that they were created in; it need not exist.
    /// - Returns: How many files were removed.
    @discardableResult
    public static func removeAbandoned(in parent: URL) -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
        let owned = names.map { $0.hasSuffix(lockSuffix) ? String($0.dropLast(lockSuffix.count)) : $0 }
        // Files of other names are somebody else's.
        return Set(owned.filter { UUID(uuidString: $0) != nil }).reduce(0) { count, name in
            count + removeIfAbandoned(parent.appendingPathComponent(name, isDirectory: true).path)
        }
    }

    /// Removes the directory with all files in it, and gives back the lock.
    ///
    /// It happens at the latest when nobody refers to this object any more. Removing twice is removing once.
    public func remove() {
        lock.withLock { descriptor in
            guard let held = descriptor else { return }
            descriptor = nil
            Self.removeLocked(url.path)
            close(held)
        }
    }

    private static func removeIfAbandoned(_ path: String) -> Int {
        // A directory without its lock's file was copied from elsewhere: then this one locks it first.
        let descriptor = open(path + lockSuffix, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return 0 }
        defer { close(descriptor) }
        // Who has waited for the lock of a file that is gone has nothing to remove.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, isLinked(descriptor) else { return 0 }
        return removeLocked(path)
    }

    /// Removes a directory whose lock one holds.
    @discardableResult
    private static func removeLocked(_ path: String) -> Int {
        let count = removeTree(path)
        // The lock's file goes last: a directory that is still there can then be found again.
        if access(path, F_OK) != 0 { unlink(path + lockSuffix) }
        return count
    }

    /// Removes a directory and everything in it, without following links.
    ///
    /// - Returns: How many files there were.
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
    /// - Returns: `nil` if somebody has removed it meanwhile.
    private static func lockedFile(at path: String, _ access: FileAccess) throws -> Int32? {
        let descriptor: Int32
        do {
            descriptor = try access.createFile(atPath: path)
        } catch {
            throw failure(error.code.rawValue, path)
        }
        // Another one holds the lock only while it looks whether the directory is abandoned. If there are no locks at all, nobody else
        // gets one either.
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
