import Cabinet
import Foundation

/// Writes a ZIP archive of uncompressed files, in constant memory.
///
/// The sizes and checksums of the files are in front of their bytes, so that programs that read the archive as a stream understand it
/// too. The list at the end lies in a file until then. Archives of any size follow APPNOTE.TXT 6.3.10 of PKWARE, section 4.3.9.2 and
/// later.
struct ZipArchive {
    /// Sends bytes of the archive, and waits while the receiver is busy.
    typealias Output = @Sendable (Data) async throws -> Void

    private let output: Output
    /// The list of the files, and its number of bytes.
    private let list: FileHandle
    private let listURL: URL
    private var (listSize, count, offset): (UInt64, UInt64, UInt64) = (0, 0, 0)
    /// The numbers from which on a size or a position, and the number of files, are in 64 bits.
    ///
    /// Tests have lower ones.
    var (sizeLimit, countLimit) = (UInt64(UInt32.max), UInt64(UInt16.max))

    /// The number of bytes that are read at a time.
    private static let chunkSize = 1 << 18

    /// Begins an archive.
    ///
    /// - Parameters:
    ///   - folder: A folder for a temporary file.
    ///   - output: Sends the bytes.
    init(in folder: URL, output: @escaping Output) throws {
        self.output = output
        listURL = folder.appending(path: "list")
        guard FileManager.default.createFile(atPath: listURL.path, contents: nil) else {
            throw CabinetError(.permissionFailure, "The file \(listURL.relativePath) cannot be written.")
        }
        list = try FileHandle(forWritingTo: listURL)
    }

    /// Adds a file, which must not change during the call.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - name: Its path in the archive, with slashes.
    mutating func add(_ file: URL, named name: String) async throws {
        var (checksum, size) = (CRC32(), UInt64(0))
        try await Self.read(file) { chunk in
            checksum.update(chunk)
            size += UInt64(chunk.count)
        }
        // A file of more than four gigabytes has its size in an extra field.
        let isLarge = size >= sizeLimit
        var header = Data()
        header.append(0x0403_4B50 as UInt32)
        header.append(Self.common(checksum.value, isLarge ? nil : size, name, extraLength: isLarge ? 20 : 0))
        header.append(contentsOf: name.utf8)
        if isLarge { header.append(Self.extra([size, size])) }
        try await output(header)
        var left = size
        try await Self.read(file) { [output] chunk in
            guard chunk.count <= left else { throw Self.changed(file) }
            left -= UInt64(chunk.count)
            try await output(chunk)
        }
        guard left == 0 else { throw Self.changed(file) }
        try addToList(checksum.value, size, name)
        offset += UInt64(header.count) + size
        count += 1
    }

    private mutating func addToList(_ checksum: UInt32, _ size: UInt64, _ name: String) throws {
        let isLarge = size >= sizeLimit
        let isFar = offset >= sizeLimit
        let numbers = (isLarge ? [size, size] : []) + (isFar ? [offset] : [])
        var entry = Data()
        entry.append(0x0201_4B50 as UInt32)
        // The archive is made as on Unix, where the mode of the file is in the upper half of the attributes.
        entry.append(0x032D as UInt16)
        entry.append(
            Self.common(
                checksum, isLarge ? nil : size, name,
                extraLength: numbers.isEmpty ? 0 : UInt16(4 + 8 * numbers.count)))
        for _ in 0..<3 { entry.append(0 as UInt16) }
        entry.append(0o100644 << 16 as UInt32)
        entry.append(isFar ? UInt32.max : UInt32(offset))
        entry.append(contentsOf: name.utf8)
        if !numbers.isEmpty { entry.append(Self.extra(numbers)) }
        try list.write(contentsOf: entry)
        listSize += UInt64(entry.count)
    }

    /// Ends the archive.
    mutating func finish() async throws {
        try list.close()
        try await Self.read(listURL) { [output] in try await output($0) }
        var end = Data()
        let isLarge = count >= countLimit || offset >= sizeLimit || listSize >= sizeLimit
        if isLarge {
            end.append(0x0606_4B50 as UInt32)
            end.append(44 as UInt64)
            end.append(0x032D as UInt16)
            end.append(45 as UInt16)
            end.append(0 as UInt64)
            for number in [count, count, listSize, offset] { end.append(number) }
            end.append(0x0706_4B50 as UInt32)
            end.append(0 as UInt32)
            end.append(offset + listSize)
            end.append(1 as UInt32)
        }
        end.append(0x0605_4B50 as UInt32)
        end.append(0 as UInt32)
        for _ in 0..<2 { end.append(isLarge ? UInt16.max : UInt16(count)) }
        for number in [listSize, offset] { end.append(isLarge ? UInt32.max : UInt32(number)) }
        end.append(0 as UInt16)
        try await output(end)
    }
}

extension ZipArchive {
    /// The part that the header of a file and its entry in the list have in common.
    ///
    /// - Parameter size: The number of bytes; `nil` if it is in the extra part.
    private static func common(_ checksum: UInt32, _ size: UInt64?, _ name: String, extraLength: UInt16) -> Data {
        var data = Data()
        data.append((extraLength > 0 ? 45 : 20) as UInt16)
        // Names are in UTF-8. The bytes are not compressed, and have the first date that an archive can have.
        for value in [0x0800, 0, 0, 0x0021] as [UInt16] { data.append(value) }
        data.append(checksum)
        for _ in 0..<2 { data.append(size.map { UInt32(clamping: $0) } ?? .max) }
        data.append(UInt16(clamping: name.utf8.count))
        data.append(extraLength)
        return data
    }

    /// The numbers that do not fit into 32 bits.
    private static func extra(_ numbers: [UInt64]) -> Data {
        var data = Data()
        data.append(0x0001 as UInt16)
        data.append(UInt16(8 * numbers.count))
        for number in numbers { data.append(number) }
        return data
    }

    private static func read(_ file: URL, _ body: (Data) async throws -> Void) async throws {
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        while let chunk = try handle.read(upToCount: chunkSize), !chunk.isEmpty {
            try Task.checkCancellation()
            try await body(chunk)
        }
    }

    private static func changed(_ file: URL) -> CabinetError {
        CabinetError(.assetFileModified, "The file \(file.relativePath) has changed while it was read.")
    }
}

extension Data {
    fileprivate mutating func append(_ number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}
