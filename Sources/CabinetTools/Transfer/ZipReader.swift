import Cabinet
package import Foundation

/// Unpacks a ZIP archive of uncompressed files, as ``DatabaseArchive`` writes it, in constant memory.
///
/// Nothing that an archive says is believed. Each file has bytes of its own, so what is unpacked is not larger than the archive, and
/// its name, size and checksum agree wherever the archive repeats them. The format is that of APPNOTE.TXT 6.3.10 of PKWARE.
package struct ZipReader {
    /// A file of the archive, as the list at its end describes it.
    private struct Entry {
        let name: Data
        let checksum: UInt32
        let size: UInt64
        let offset: UInt64
        /// The number of bytes of the description.
        let length: UInt64
        /// Whether the size and the checksum follow the bytes, and are not in front of them.
        let hasDescriptor: Bool
    }

    private let handle: FileHandle
    private let size: UInt64
    private let folder: URL

    /// The number of bytes that are copied at a time.
    private static let chunkSize = 1 << 18
    /// The length of an entry of the list, of a header, and of the record at the end, without the texts in them.
    private static let (entryLength, headerLength, endLength): (UInt64, UInt64, UInt64) = (46, 30, 22)

    /// Whether a file begins as an archive does.
    package static func isArchive(_ file: URL) -> Bool {
        guard let handle = try? FileHandle(forReadingFrom: file) else { return false }
        defer { try? handle.close() }
        let start = try? handle.read(upToCount: 4)
        return start == Data([0x50, 0x4B, 3, 4]) || start == Data([0x50, 0x4B, 5, 6])
    }

    /// Unpacks an archive.
    ///
    /// - Parameters:
    ///   - file: The archive.
    ///   - folder: A folder, which is created; nothing outside of it is written.
    /// - Returns: The one file at the top of the archive, which has the records.
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the archive is damaged, hostile, or not one of an export.
    package static func unpack(_ file: URL, to folder: URL) throws -> URL {
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Self(handle: handle, size: try handle.seekToEnd(), folder: folder).unpackAll()
        let top = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: [.isRegularFileKey]
        )
        .filter { try $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true }
        guard top.count == 1 else {
            throw CabinetError(
                .invalidArguments,
                "The archive has \(top.count) files outside of folders; expected one with the records, such as shop.jsonl."
            )
        }
        return top[0]
    }

    private func unpackAll() throws {
        let (count, start, end) = try list()
        var (position, dataEnd): (UInt64, UInt64) = (start, 0)
        for _ in 0..<count {
            try Task.checkCancellation()
            let entry = try entry(at: position, before: end)
            position += entry.length
            // Bytes that two files had in common could be unpacked into any number of bytes.
            guard entry.offset >= dataEnd else { throw Self.damaged("two files have bytes in common") }
            dataEnd = try unpack(entry, before: start)
        }
        guard position == end else { throw Self.damaged("the list of files has another length than its end says") }
    }

    /// Reads the end of the archive, and returns the number of the files and the range of their list.
    private func list() throws -> (count: UInt64, start: UInt64, end: UInt64) {
        guard size >= Self.endLength else { throw Self.damaged("its end is missing") }
        let tail = try bytes(at: size - min(size, Self.endLength + 0xFFFF), size: min(size, Self.endLength + 0xFFFF))
        let position = stride(from: tail.count - Int(Self.endLength), through: 0, by: -1).first { position in
            tail.number(at: position, UInt32.self) == 0x0605_4B50
                && position + Int(Self.endLength) + Int(tail.number(at: position + 20, UInt16.self)) == tail.count
        }
        guard let position else { throw Self.damaged("its end is missing") }
        let record = tail[position...]
        guard record.number(at: 4, UInt32.self) == 0 else { throw Self.damaged("it has several parts") }
        var end = size - UInt64(tail.count - position)
        var count = UInt64(record.number(at: 10, UInt16.self))
        var length = UInt64(record.number(at: 12, UInt32.self))
        var start = UInt64(record.number(at: 16, UInt32.self))
        if count == UInt16.max || length == UInt32.max || start == UInt32.max {
            // The numbers in 64 bits are in front of it, after a record that says where.
            let locator = try bytes(at: end - min(end, 20), size: 20)
            guard locator.number(at: 0, UInt32.self) == 0x0706_4B50 else { throw Self.damaged("its end is incomplete") }
            end = locator.number(at: 8, UInt64.self)
            let large = try bytes(at: end, size: 56)
            guard large.number(at: 0, UInt32.self) == 0x0606_4B50 else { throw Self.damaged("its end is incomplete") }
            (count, length, start) = (
                large.number(at: 32, UInt64.self), large.number(at: 40, UInt64.self), large.number(at: 48, UInt64.self)
            )
        }
        guard start <= end, length == end - start, count <= length / Self.entryLength else {
            throw Self.damaged("its end does not fit the list of files")
        }
        return (count, start, end)
    }

    /// Reads an entry of the list.
    private func entry(at position: UInt64, before end: UInt64) throws -> Entry {
        guard end - position >= Self.entryLength else { throw Self.damaged("the list of files is cut off") }
        let fixed = try bytes(at: position, size: Self.entryLength)
        guard fixed.number(at: 0, UInt32.self) == 0x0201_4B50 else {
            throw Self.damaged("the list of files is unreadable")
        }
        let lengths = [28, 30, 32].map { UInt64(fixed.number(at: $0, UInt16.self)) }
        let length = Self.entryLength + lengths.reduce(0, +)
        guard length <= end - position else { throw Self.damaged("the list of files is cut off") }
        let texts = try bytes(at: position + Self.entryLength, size: lengths[0] + lengths[1])
        let name = texts.prefix(Int(lengths[0]))
        let (flags, method) = (fixed.number(at: 8, UInt16.self), fixed.number(at: 10, UInt16.self))
        guard flags & 1 == 0, method == 0 else {
            let state = method == 0 ? "encrypted" : "compressed"
            throw CabinetError(
                .invalidArguments,
                "The file '\(Self.shown(name))' of the archive is \(state). Unpack it, and import the file of its records."
            )
        }
        let numbers = try Self.numbers(fixed, texts.dropFirst(name.count))
        guard numbers.packed == numbers.size else { throw Self.damaged("the sizes of '\(Self.shown(name))' differ") }
        return Entry(
            name: name, checksum: fixed.number(at: 16, UInt32.self), size: numbers.size, offset: numbers.offset,
            length: length, hasDescriptor: flags & 8 != 0)
    }

    /// The size of a file, packed and unpacked, and its offset: in 32 bits, or in 64 bits in the extra part.
    private static func numbers(
        _ fixed: Data, _ extra: Data
    ) throws -> (size: UInt64, packed: UInt64, offset: UInt64) {
        var large = Data()
        var rest = extra
        while rest.count >= 4 {
            let length = Int(rest.number(at: 2, UInt16.self))
            guard rest.count >= 4 + length else { throw damaged("an extra part is cut off") }
            if rest.number(at: 0, UInt16.self) == 1 { large = rest.dropFirst(4).prefix(length) }
            rest = rest.dropFirst(4 + length)
        }
        func number(at position: Int) throws -> UInt64 {
            let small = fixed.number(at: position, UInt32.self)
            guard small == UInt32.max else { return UInt64(small) }
            guard large.count >= 8 else { throw damaged("a number in 64 bits is missing") }
            defer { large = large.dropFirst(8) }
            return large.number(at: 0, UInt64.self)
        }
        return (try number(at: 24), try number(at: 20), try number(at: 42))
    }

    /// Unpacks a file, and returns the position after its bytes.
    private func unpack(_ entry: Entry, before end: UInt64) throws -> UInt64 {
        let name = Self.shown(entry.name)
        guard entry.offset <= end, end - entry.offset >= Self.headerLength else {
            throw Self.damaged("'\(name)' is outside of it")
        }
        let header = try bytes(at: entry.offset, size: Self.headerLength)
        let lengths = [26, 28].map { UInt64(header.number(at: $0, UInt16.self)) }
        let start = entry.offset + Self.headerLength + lengths[0] + lengths[1]
        guard header.number(at: 0, UInt32.self) == 0x0403_4B50, start <= end, entry.size <= end - start else {
            throw Self.damaged("'\(name)' is outside of it")
        }
        // Programs that read the archive as a stream see the header alone, and must see the same files.
        let isSame =
            try bytes(at: entry.offset + Self.headerLength, size: lengths[0]) == entry.name
            && header.number(at: 8, UInt16.self) == 0
            && (entry.hasDescriptor || header.number(at: 14, UInt32.self) == entry.checksum)
            && [18, 22].allSatisfy { position in
                let size = header.number(at: position, UInt32.self)
                return entry.hasDescriptor || size == UInt32.max || UInt64(size) == entry.size
            }
        guard isSame else { throw Self.damaged("'\(name)' is described in two ways") }
        let target = try ArchivePath.url(of: String(decoding: entry.name, as: UTF8.self), in: folder)
        if target.hasDirectoryPath {
            guard entry.size == 0 else { throw Self.damaged("the folder '\(name)' has bytes") }
            try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        } else {
            try copy(entry, from: start, to: target)
        }
        return start + entry.size
    }

    private func copy(_ entry: Entry, from start: UInt64, to target: URL) throws {
        guard FileManager.default.createFile(atPath: target.path, contents: nil) else {
            throw CabinetError(.permissionFailure, "The file \(target.relativePath) cannot be written.")
        }
        let output = try FileHandle(forWritingTo: target)
        defer { try? output.close() }
        var (position, end, checksum) = (start, start + entry.size, CRC32())
        while position < end {
            try Task.checkCancellation()
            let chunk = try bytes(at: position, size: min(end - position, UInt64(Self.chunkSize)))
            checksum.update(chunk)
            try output.write(contentsOf: chunk)
            position += UInt64(chunk.count)
        }
        guard checksum.value == entry.checksum else {
            throw Self.damaged("the bytes of '\(Self.shown(entry.name))' have another checksum")
        }
    }

    private func bytes(at position: UInt64, size: UInt64) throws -> Data {
        guard position <= self.size, size <= self.size - position else { throw Self.damaged("it is cut off") }
        try handle.seek(toOffset: position)
        let data = size == 0 ? Data() : try handle.read(upToCount: Int(size)) ?? Data()
        guard data.count == size else { throw Self.damaged("it is cut off") }
        return data
    }

    private static func damaged(_ reason: String) -> CabinetError {
        CabinetError(.invalidArguments, "The archive is damaged: \(reason).")
    }

    private static func shown(_ name: Data) -> String { String(String(decoding: name, as: UTF8.self).prefix(80)) }
}

extension Data {
    /// Reads a number at a position from the start of the data, which has its bytes.
    fileprivate func number<Number: FixedWidthInteger>(at position: Int, _ type: Number.Type) -> Number {
        let first = startIndex + position
        return (0..<MemoryLayout<Number>.size).reduce(0) { $0 | Number(self[first + $1]) << (8 * $1) }
    }
}
