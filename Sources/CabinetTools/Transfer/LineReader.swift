import Cabinet
import Foundation

/// Reads a file line by line, in constant memory.
final class LineReader {
    private let handle: FileHandle
    private var buffer: [UInt8] = []
    /// The index of the first byte that no line has.
    private var start = 0
    private var offset = 0
    private var isAtEnd = false

    /// The size of the file in bytes.
    let size: Int

    /// The size of a record is limited, so a longer line is not a record.
    private static let maximumLength = 64 << 20

    init(_ file: URL) throws {
        handle = try FileHandle(forReadingFrom: file)
        size = try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
    }

    deinit { try? handle.close() }

    /// Returns the next line with the offset after it.
    func next() throws -> (line: String, offset: Int)? {
        var searched = start
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { start = end + 1 }
                return try result(buffer[start..<end], length: end + 1 - start)
            }
            if isAtEnd {
                defer { start = buffer.count }
                return start == buffer.count ? nil : try result(buffer[start...], length: buffer.count - start)
            }
            guard buffer.count - start < Self.maximumLength else {
                throw CabinetError(.invalidArguments, "A line is longer than 64 MiB.")
            }
            searched = buffer.count - start
            buffer.removeFirst(start)
            start = 0
            let more = try handle.read(upToCount: 1 << 18) ?? Data()
            if more.isEmpty { isAtEnd = true } else { buffer.append(contentsOf: more) }
        }
    }

    private func result(_ line: ArraySlice<UInt8>, length: Int) throws(CabinetError) -> (String, Int) {
        offset += length
        guard let text = String(validating: line, as: UTF8.self) else {
            throw CabinetError(.invalidArguments, "The file is not UTF-8.")
        }
        return (text, offset)
    }
}
