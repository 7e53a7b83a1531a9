#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking

/// The body of a request, from memory or from a file, which libcurl may read again from an offset.
struct CurlBody {
    private enum Source {
        case bytes(Data)
        case file(FileHandle)
    }

    private let source: Source
    let size: Int64
    var offset: Int64 = 0

    /// Creates the body of a request; `nil` if it has none.
    init?(_ request: CurlRequest) throws {
        if let file = request.file {
            let handle = try FileHandle(forReadingFrom: file)
            (source, size) = (.file(handle), Int64(try handle.seekToEnd()))
        } else if let bytes = request.request.httpBody {
            (source, size) = (.bytes(bytes), Int64(bytes.count))
        } else {
            return nil
        }
    }

    /// Reads the next bytes; returns their number.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = Int(min(Int64(buffer.count), size - offset))
        // A seek beyond the end.
        guard count > 0 else { return 0 }
        let bytes: Data
        switch source {
        case .bytes(let data): bytes = data.dropFirst(Int(offset)).prefix(count)
        case .file(let file):
            try file.seek(toOffset: UInt64(offset))
            bytes = try file.read(upToCount: count) ?? Data()
        }
        buffer.copyBytes(from: bytes)
        offset += Int64(bytes.count)
        return bytes.count
    }
}
#endif
