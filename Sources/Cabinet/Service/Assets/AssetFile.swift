import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A file that is read from its beginning to its end, by blocking calls.
final class AssetFile {
    /// The number of bytes that the file had when it was opened.
    let size: Int64

    private let url: URL
    private let descriptor: Int32
    private let version: Version
    /// Whether the file was written so shortly before it was opened that its modification time may not show a further change.
    private let mayHideChanges: Bool
    /// The time at which the version was read.
    private let versionDate: Date
    private var count: Int64 = 0

    /// The attributes that change when a process writes to a file.
    private struct Version: Equatable {
        let size: Int64
        let seconds: Int
        let nanoseconds: Int

        init(_ status: stat) {
            size = Int64(status.st_size)
            #if canImport(Darwin)
            let time = status.st_mtimespec
            #else
            let time = status.st_mtim
            #endif
            seconds = time.tv_sec
            nanoseconds = time.tv_nsec
        }

        /// The longest time within which two changes can have the same modification time.
        ///
        /// Systems read the time from a clock that ticks every 1 to 16 milliseconds. Some file systems store whole or even
        /// seconds.
        var resolution: TimeInterval { nanoseconds == 0 ? 2 : 0.02 }

        /// Whether a change after a date can leave the modification time the same.
        func isTooRecent(at date: Date) -> Bool {
            let time = Date(timeIntervalSince1970: Double(seconds) + Double(nanoseconds) / 1e9)
            return time.addingTimeInterval(resolution) > date
        }
    }

    /// Opens a file.
    ///
    /// - Throws: ``CabinetError/Code/assetFileNotFound`` if the file does not exist, ``CabinetError/Code/assetNotAvailable`` if
    ///   it cannot be read, or is a folder, a pipe or a device.
    init(_ url: URL) throws(CabinetError) {
        guard url.isFileURL else {
            throw CabinetError(
                .assetNotAvailable, "The asset's URL \(url) is not a file URL. Use URL(fileURLWithPath:).")
        }
        let start = Date()
        // Open without blocking: a pipe without a writer would block the caller forever.
        let descriptor = open(url.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure(errno, opening: url) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let code = errno
            close(descriptor)
            throw Self.failure(code, opening: url)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw CabinetError(
                .assetNotAvailable, "\(url.path) is not a plain file. Use a plain file for the asset's bytes.")
        }
        self.url = url
        self.descriptor = descriptor
        version = Version(status)
        versionDate = Date()
        mayHideChanges = version.isTooRecent(at: start)
        size = version.size
    }

    deinit {
        close(descriptor)
    }

    /// Returns the next bytes, at most as many as one part has; empty at the end.
    ///
    /// - Throws: ``CabinetError/Code/assetNotAvailable`` if they cannot be read.
    func read() throws(CabinetError) -> Data {
        let data = try readChunk(after: count)
        count += Int64(data.count)
        return data
    }

    private func readChunk(after count: Int64) throws(CabinetError) -> Data {
        var data = Data(count: Int(clamping: min(Int64(StoredAsset.partSize), max(size - count, 0) + 1)))
        let (result, code) = data.withUnsafeMutableBytes { buffer in
            var result = -1
            repeat {
                #if canImport(Darwin)
                result = Darwin.read(descriptor, buffer.baseAddress, buffer.count)
                #elseif canImport(Musl)
                result = Musl.read(descriptor, buffer.baseAddress, buffer.count)
                #else
                result = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                #endif
            } while result < 0 && errno == EINTR
            return (result, errno)
        }
        guard result >= 0 else { throw Self.failure(code, opening: url) }
        return data.prefix(result)
    }

    /// Checks that the bytes read so far are those of one state of the file.
    ///
    /// If the file was written just before it was opened, its modification time may hide a further change. Such a file is read
    /// again after its file system's clock has ticked, because a change from then on is visible.
    ///
    /// - Parameter bytes: The identity of the bytes that were read, from this file or from a later clone of it.
    /// - Throws: ``CabinetError/Code/assetFileModified`` if the file has changed since it was opened.
    func checkUnchanged(_ bytes: StoredAsset) throws(CabinetError) {
        guard isUnchanged, bytes.size == size else { throw modified }
        guard mayHideChanges else { return }
        let rest = version.resolution - Date().timeIntervalSince(versionDate)
        if rest > 0 { Thread.sleep(forTimeInterval: min(rest, version.resolution)) }
        guard isUnchanged, lseek(descriptor, 0, SEEK_SET) == 0 else { throw modified }
        var hash = SHA256()
        var rereadCount: Int64 = 0
        while rereadCount <= size {
            let chunk = try readChunk(after: rereadCount)
            if chunk.isEmpty { break }
            hash.update(chunk)
            rereadCount += Int64(chunk.count)
        }
        guard isUnchanged, rereadCount == size, hash.checksum == bytes.checksum else { throw modified }
    }

    private var isUnchanged: Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && Version(status) == version
    }

    private var modified: CabinetError {
        CabinetError(
            .assetFileModified,
            "The file \(url.path) changed while it was being saved. Nothing was saved; try again when no process writes to it."
        )
    }

    private static func failure(_ code: Int32, opening url: URL) -> CabinetError {
        let reason = String(cString: strerror(code))
        return code == ENOENT || code == ENOTDIR
            ? CabinetError(.assetFileNotFound, "There is no file at \(url.path).")
            : CabinetError(.assetNotAvailable, "The file \(url.path) cannot be read: \(reason).")
    }
}
