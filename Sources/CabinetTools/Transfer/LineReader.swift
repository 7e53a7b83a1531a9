import Cabinet
import Foundation

/// Reads a file line by line, in constant memory.
final class LineReader {
    private let handle: FileHandle
    private var buffer: [UInt8] = []
    /// The index of the first byte that no line has.
    private var start = 0
    private var isAtEnd = false
    /// The checksum of the lines so far.
    private var hash = SHA256()
    /// The number of bytes of the lines so far.
    private(set) var offset = 0

    /// The size of the file in bytes.
    let size: Int

    /// The size of a record is limited, so a longer line is not a record.
    private static let maximumLength = 64 << 20

    init(_ file: URL) throws {
        handle = try FileHandle(forReadingFrom: file)
        size = try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
    }

    deinit { try? handle.close() }

    /// The checksum of all lines so far.
    var checksum: Asset.Checksum { hash.checksum }

    /// Skips the first bytes of the file if they have a checksum.
    ///
    /// - Returns: Whether they were skipped. Otherwise, the reader is at the beginning.
    func skip(_ count: Int, withChecksum checksum: String) throws -> Bool {
        var skipped = SHA256()
        var rest = count
        while rest > 0, let data = try handle.read(upToCount: min(rest, 1 << 20)), !data.isEmpty {
            skipped.update(data)
            rest -= data.count
        }
        guard rest == 0, skipped.checksum.description == checksum else {
            try handle.seek(toOffset: 0)
            return false
        }
        (hash, offset) = (skipped, count)
        return true
    }

    /// Returns the next line.
    func next() throws -> String? {
        var searched = start
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { start = end + 1 }
                return try line(start..<end, length: end + 1 - start)
            }
            if isAtEnd {
                defer { start = buffer.count }
                return start == buffer.count ? nil : try line(start..<buffer.count, length: buffer.count - start)
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

    private func line(_ range: Range<Int>, length: Int) throws(CabinetError) -> String {
        offset += length
        buffer.withUnsafeBytes { hash.update(Data($0[start..<(start + length)])) }
        return try Self.text(buffer[range])
    }

    private static func text(_ bytes: some Sequence<UInt8>) throws(CabinetError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CabinetError(.invalidArguments, "The file is not UTF-8.")
        }
        return text
    }

    /// Reads the line at an offset from a file.
    static func line(at range: Range<Int>, of file: URL) throws -> String {
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        try handle.seek(toOffset: UInt64(range.lowerBound))
        return try text(try handle.read(upToCount: range.count) ?? Data())
    }
}
