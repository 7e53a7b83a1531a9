import Foundation

/// The bytes of a file, read where they are needed and nowhere else.
struct FileBytes {
    private let handle: FileHandle

    /// Opens a file, and nothing else: opening a pipe would wait for somebody to write into it.
    init(_ file: URL) throws(PictureError) {
        var information = stat()
        guard stat(file.path, &information) == 0 else { throw .missing(file) }
        guard information.st_mode & S_IFMT == S_IFREG else { throw .noFile(file) }
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
    /// The bytes as a whole number, the highest first; of more than eight, the last eight count.
    var bigEndian: UInt64 {
        reduce(0) { $0 << 8 | UInt64($1) }
    }
}
