public import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A part of an open file, as the content of a response.
///
/// The file is open as long as the value lives, so that it can be deleted or replaced while it is sent.
public struct HTTPFile: Sendable {
    private let file: OpenFile
    /// The bytes of the file that are sent.
    public let range: Range<Int64>
    /// The length of the whole file.
    public let size: Int64

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - range: The bytes to send, or `nil` for all. The part beyond the end of the file is left out.
    /// - Throws: ``HTTPError`` with the status 404 if the file cannot be opened, or is not a regular file.
    public init(at url: URL, range: Range<Int64>? = nil) throws {
        // Without O_NONBLOCK, opening a pipe would wait for its writer.
        let descriptor = open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw HTTPError(.notFound, "The file cannot be read.") }
        try self.init(descriptor: descriptor, range: range)
    }

    /// Takes over an open file.
    ///
    /// - Parameters:
    ///   - descriptor: A descriptor of a regular file, which is closed with the value, or at once if the call throws.
    ///   - range: The bytes to send, or `nil` for all. The part beyond the end of the file is left out.
    /// - Throws: ``HTTPError`` with the status 404 if the descriptor is not one of a regular file.
    public init(descriptor: Int32, range: Range<Int64>? = nil) throws {
        file = OpenFile(descriptor: descriptor)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw HTTPError(.notFound, "This is not a file.")
        }
        size = Int64(status.st_size)
        self.range = range?.clamped(to: 0..<size) ?? 0..<size
    }

    /// Creates a part of a file that is already open.
    init(_ range: Range<Int64>, of whole: HTTPFile) {
        file = whole.file
        size = whole.size
        self.range = range.clamped(to: 0..<whole.size)
    }

    /// The descriptor, which is closed with the last value that uses it.
    package var descriptor: Int32 { file.descriptor }

    private final class OpenFile: Sendable {
        let descriptor: Int32

        init(descriptor: Int32) {
            self.descriptor = descriptor
        }

        deinit {
            close(descriptor)
        }
    }

    /// The bytes as a stream of chunks.
    var body: HTTPBody { HTTPBody(Chunks(file: self), length: Int64(range.count)) }

    private struct Chunks: AsyncSequence, Sendable {
        let file: HTTPFile

        func makeAsyncIterator() -> Iterator { Iterator(file: file, position: file.range.lowerBound) }

        struct Iterator: AsyncIteratorProtocol {
            let file: HTTPFile
            var position: Int64

            mutating func next() async throws -> Data? {
                let count = Int(Swift.min(64 << 10, file.range.upperBound - position))
                guard count > 0 else { return nil }
                var chunk = Data(count: count)
                let read = chunk.withUnsafeMutableBytes {
                    pread(file.descriptor, $0.baseAddress, count, off_t(position))
                }
                guard read > 0 else { throw HTTPError(.internalServerError, "The file is shorter than it was.") }
                position += Int64(read)
                return chunk.prefix(read)
            }
        }
    }
}
