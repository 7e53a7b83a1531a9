#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The file system's information about a file, which changes when the file changes.
struct FileStamp: Equatable {
    private let number: UInt64
    private let size: Int64
    let seconds: Int
    private let nanoseconds: Int

    /// Reads the information about a file; `nil` if it is missing or empty, as an unused log is.
    init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_size > 0 else { return nil }
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        number = UInt64(truncatingIfNeeded: status.st_ino)
        size = Int64(status.st_size)
        seconds = Int(time.tv_sec)
        nanoseconds = Int(time.tv_nsec)
    }
}
