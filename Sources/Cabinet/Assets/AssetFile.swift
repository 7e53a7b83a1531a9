import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A file that is read from its beginning to its end, by calls that block.
final class AssetFile {
    /// How many bytes are read at a time.
    static let chunkSize = 1 << 20

    /// The number of bytes that the file had when it was opened.
    let size: Int64

    private let url: URL
    private let descriptor: Int32
    private let version: Version
    private var count: Int64 = 0

    /// What changes when a file is written to.
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
    }

    /// Opens a file.
    ///
    /// - Throws: ``CabinetError/Code/assetFileNotFound`` if there is none, ``CabinetError/Code/assetNotAvailable`` if it cannot be read, or
    ///   is a folder, a pipe or a device.
    init(_ url: URL) throws(CabinetError) {
        guard url.isFileURL else {
            throw CabinetError(.assetNotAvailable, "The asset's URL \(url) is no file's. Use URL(fileURLWithPath:).")
        }
        // Without waiting: a pipe that nobody writes to would keep the caller for ever.
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
            throw CabinetError(.assetNotAvailable, "\(url.path) is no file: an asset's bytes come from a plain file.")
        }
        self.url = url
        self.descriptor = descriptor
        version = Version(status)
        size = version.size
    }

    deinit {
        close(descriptor)
    }

    /// The next bytes, at most ``chunkSize``; empty at the end.
    ///
    /// - Throws: ``CabinetError/Code/assetNotAvailable`` if they cannot be read.
    func read() throws(CabinetError) -> Data {
        var data = Data(count: Int(clamping: min(Int64(Self.chunkSize), max(size - count, 0) + 1)))
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
        count += Int64(result)
        return data.prefix(result)
    }

    /// Makes sure that the bytes which were read are those of one state of the file.
    ///
    /// - Throws: ``CabinetError/Code/assetFileModified`` if it was written to since it was opened.
    func checkUnchanged() throws(CabinetError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, Version(status) == version, count == size else {
            throw CabinetError(
                .assetFileModified,
                "The file \(url.path) changed while it was being saved. Nothing was saved; try again when nobody writes to it."
            )
        }
    }

    private static func failure(_ code: Int32, opening url: URL) -> CabinetError {
        let reason = String(cString: strerror(code))
        return code == ENOENT || code == ENOTDIR
            ? CabinetError(.assetFileNotFound, "There is no file at \(url.path).")
            : CabinetError(.assetNotAvailable, "The file \(url.path) cannot be read: \(reason).")
    }
}
