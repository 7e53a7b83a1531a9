import Cabinet
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Blocking operations on single asset files.
enum AssetFile {
    /// Whether a path names a regular file of a given size; links and folders do not count.
    static func has(_ path: String, size: Int64) -> Bool {
        status(path)?.isFile(size: size) == true
    }

    /// Returns the file system's information about a file, without following a symbolic link.
    static func status(_ path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }

    /// Whether a path is a symbolic link.
    static func isLink(_ path: String) -> Bool { status(path).map { $0.st_mode & S_IFMT } == S_IFLNK }

    /// Creates a file, and fails if it exists.
    ///
    /// - Returns: A descriptor to write with.
    static func create(_ path: String, _ access: FileAccess) throws -> Int32 {
        do {
            return try access.createFile(atPath: path)
        } catch {
            throw failure(error.code.rawValue, path)
        }
    }

    /// Opens a regular file for reading.
    ///
    /// - Parameter followsLinks: Whether a symbolic link is followed.
    /// - Returns: `nil` if the file does not exist or is not a regular file.
    static func openForReading(_ path: String, followsLinks: Bool = false) throws -> Int32? {
        // Without O_NONBLOCK, opening a pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | (followsLinks ? 0 : O_NOFOLLOW))
        guard descriptor >= 0 else {
            if [ENOENT, ENOTDIR, ELOOP].contains(errno) { return nil }
            throw failure(errno, path, isReading: true)
        }
        var status = stat()
        if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG { return descriptor }
        close(descriptor)
        return nil
    }

    /// Writes all bytes.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, path: String) throws {
        try Disk.write(bytes, to: descriptor) { failure($0, path) }
    }

    /// Reads a range of a file's bytes.
    ///
    /// - Returns: `nil` if the file ends before the range does.
    static func read(_ range: Range<Int64>, of descriptor: Int32, path: String) throws -> Data? {
        let (size, overflow) = range.upperBound.subtractingReportingOverflow(range.lowerBound)
        guard range.lowerBound >= 0, !overflow, let size = Int(exactly: size), size > 0 else { return Data() }
        var data = Data(count: size)
        let count = try data.withUnsafeMutableBytes { bytes in
            var count = 0
            while count < size {
                let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[count...])
                let step = pread(descriptor, rest.baseAddress, rest.count, off_t(range.lowerBound) + off_t(count))
                if step < 0 {
                    if errno == EINTR { continue }
                    throw failure(errno, path, isReading: true)
                }
                if step == 0 { break }
                count += step
            }
            return count
        }
        return count == size ? data : nil
    }

    /// Makes a file read-only, and its bytes durable.
    static func seal(_ descriptor: Int32, path: String, _ access: FileAccess) throws {
        guard fchmod(descriptor, mode_t(access.filePermissions & 0o444)) == 0 else { throw failure(errno, path) }
        try Disk.synchronize(descriptor) { failure($0, path) }
    }

    /// Creates a hard link, and fails if the name exists.
    ///
    /// - Returns: The system's error number; 0 on success.
    static func link(_ file: String, to path: String) -> Int32 {
        #if canImport(Darwin)
        Darwin.link(file, path) == 0 ? 0 : errno
        #elseif canImport(Musl)
        Musl.link(file, path) == 0 ? 0 : errno
        #else
        Glibc.link(file, path) == 0 ? 0 : errno
        #endif
    }

    /// Copies a file durably.
    ///
    /// - Parameter path: The path of the copy, which must not exist.
    static func copy(_ file: String, to path: String, _ access: FileAccess) throws {
        guard let source = try openForReading(file) else { throw failure(ENOENT, file, isReading: true) }
        defer { close(source) }
        do {
            let target = try cloneOrCopy(source, file, to: path, access)
            defer { close(target) }
            try seal(target, path: path, access)
        } catch {
            unlink(path)
            throw error
        }
    }

    private static func cloneOrCopy(
        _ source: Int32, _ file: String, to path: String, _ access: FileAccess
    ) throws -> Int32 {
        var target = try create(path, access)
        if FileClone.clone(source, to: &target, path: path) { return target }
        var offset: Int64 = 0
        var status = stat()
        guard fstat(source, &status) == 0 else {
            defer { close(target) }
            throw failure(errno, file, isReading: true)
        }
        while offset < Int64(status.st_size) {
            let end = min(offset + 1 << 20, Int64(status.st_size))
            do {
                guard let bytes = try read(offset..<end, of: source, path: file) else { break }
                try bytes.withUnsafeBytes { try write($0, to: target, path: path) }
            } catch {
                close(target)
                throw error
            }
            offset = end
        }
        return target
    }

    /// Creates a folder unless it exists.
    ///
    /// - Parameter followsLinks: Whether a symbolic link to a folder is accepted.
    /// - Returns: Whether the folder is new.
    @discardableResult
    static func makeFolder(_ path: String, followsLinks: Bool = false, _ access: FileAccess) throws -> Bool {
        do {
            if try access.createDirectory(atPath: path, withIntermediateDirectories: false) { return true }
        } catch {
            throw failure(error.code.rawValue, path)
        }
        var status = stat()
        guard !followsLinks else { return false }
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { throw failure(ENOTDIR, path) }
        return false
    }

    /// Makes the entries of a folder durable.
    static func synchronize(folder: String) throws {
        try Disk.synchronize(folder: folder) { failure($0, folder) }
    }

    /// The names in a folder; none if there is no such folder.
    static func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    /// The error for an error number of the operating system.
    static func failure(_ number: Int32, _ path: String, isReading: Bool = false) -> CabinetError {
        translated(number, path, isReading).ofStore
    }

    private static func translated(_ number: Int32, _ path: String, _ isReading: Bool) -> CabinetError {
        let what = "The asset's file \(path) cannot be \(isReading ? "read" : "written")"
        let reason = String(cString: strerror(number))
        return switch number {
        case ENOSPC, EDQUOT, EFBIG:
            CabinetError(
                .quotaExceeded, "\(what) (\(reason)). Nothing was changed. Free space on its disk and try again.")
        case EACCES, EPERM, EROFS:
            CabinetError(
                .permissionFailure,
                "\(what) (\(reason)). Make the file and its directory readable and writable for this user.")
        case EMFILE, ENFILE:
            CabinetError(
                .serviceUnavailable, "\(what) (\(reason)). Let the process open more files (ulimit -n), and try again.")
        case ENOENT, ENOTDIR, ELOOP:
            CabinetError(
                .badContainer,
                "\(what) (\(reason)): its directory was removed or replaced. Put it back, or close the backend and "
                    + "open the store again.")
        default:
            CabinetError(.internalError, "\(what) (\(reason)). Check its disk.")
        }
    }
}

extension stat {
    /// Whether this describes a regular file of a given size.
    func isFile(size: Int64) -> Bool { st_mode & S_IFMT == S_IFREG && Int64(st_size) == size }

    /// Whether two names lead to the same file.
    func isSameFile(as other: stat) -> Bool {
        st_dev == other.st_dev && st_ino == other.st_ino && st_mode & S_IFMT == S_IFREG
    }

    /// The inode number.
    var number: UInt64 { UInt64(truncatingIfNeeded: st_ino) }
}
