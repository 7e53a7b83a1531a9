import Foundation

/// The bytes of a file, read only as needed.
struct FileBytes {
    private let handle: FileHandle

    /// Opens a regular file only: opening a pipe would wait for a writer.
    init(_ file: URL) throws(PictureError) {
        var information = stat()
        guard stat(file.path, &information) == 0 else { throw .missing(file) }
        guard information.st_mode & S_IFMT == S_IFREG else { throw .notAFile(file) }
        do {
            handle = try FileHandle(forReadingFrom: file)
        } catch {
            throw .unreadable(file, error)
        }
    }

    /// Some bytes, or `nil` if the file ends before them or cannot be read.
    func bytes(_ count: Int, at offset: UInt64) -> [UInt8]? {
        guard (try? handle.seek(toOffset: offset)) != nil, let data = try? handle.read(upToCount: count),
            data.count == count
        else { return nil }
        return Array(data)
    }

    func close() {
        try? handle.close()
    }
}

extension Collection<UInt8> {
    /// The bytes as a big-endian integer.
    ///
    /// Of more than eight bytes, the last eight count.
    var bigEndian: UInt64 {
        reduce(0) { $0 << 8 | UInt64($1) }
    }
}
