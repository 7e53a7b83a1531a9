import Cabinet
import Foundation

/// A row of a file: a line of comma-separated values, or a JSON object.
struct FileRow {
    let text: String
    /// The number of the line that the row begins on.
    let line: Int
}

/// A mistake in a row.
struct RowMistake: Error {
    let line: Int
    /// The number of the character in the line, if it is known.
    var column: Int?
    let message: String
}

/// Reads the rows of a file one by one, in constant memory.
///
/// JSON objects follow each other, or are the elements of an array.
final class RowReader {
    private let handle: FileHandle
    private let isCSV: Bool
    private var buffer: [UInt8] = []
    /// The index of the first byte that no row has.
    private var start = 0
    private var isAtEnd = false
    private var line = 1
    private var sequence = ObjectSequence.start

    /// The size of a record is limited, so a longer row is not a record.
    private static let maximumLength = 64 << 20

    init(_ file: URL, isCSV: Bool) throws {
        handle = try FileHandle(forReadingFrom: file)
        self.isCSV = isCSV
        try fill()
        // The mark of the byte order, which some programs write.
        if buffer.starts(with: [0xEF, 0xBB, 0xBF]) { start = 3 }
    }

    deinit { try? handle.close() }

    /// Returns the next row.
    func next() throws -> FileRow? {
        if !isCSV, try !skipToObject() { return nil }
        var scan = RowScan(isCSV: isCSV)
        var searched = start
        while true {
            if let end = scan.end(in: buffer[searched...]) { return try row(upTo: end) }
            if isAtEnd {
                if start == buffer.count { return nil }
                if let part = scan.openPart { throw RowMistake(line: line, message: "The file ends within \(part).") }
                return try row(upTo: buffer.count)
            }
            guard buffer.count - start < Self.maximumLength else {
                throw RowMistake(line: line, message: "A row is longer than 64 MiB.")
            }
            searched = buffer.count - start
            try fill()
        }
    }

    /// Reads more of the file, and drops the bytes of earlier rows.
    private func fill() throws {
        buffer.removeFirst(start)
        start = 0
        let more = try handle.read(upToCount: 1 << 18) ?? Data()
        if more.isEmpty { isAtEnd = true } else { buffer.append(contentsOf: more) }
    }

    private func row(upTo end: Int) throws -> FileRow {
        let bytes = buffer[start..<end]
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw RowMistake(line: line, message: "The file is not UTF-8.")
        }
        defer {
            line += bytes.count { $0 == UInt8(ascii: "\n") }
            start = end
        }
        return FileRow(text: text, line: line)
    }

    /// Moves to the beginning of the next object.
    ///
    /// - Returns: Whether one follows.
    private func skipToObject() throws -> Bool {
        while true {
            while start < buffer.count {
                let byte = buffer[start]
                if byte == UInt8(ascii: "\n") { line += 1 }
                if !" \n\r\t".utf8.contains(byte) {
                    guard let isObject = sequence.take(byte) else {
                        throw RowMistake(line: line, message: "Expected \(sequence.expectation).")
                    }
                    if isObject { return true }
                }
                start += 1
            }
            if isAtEnd {
                if sequence.mayEnd { return false }
                throw RowMistake(line: line, message: "The file ends within an array.")
            }
            try fill()
        }
    }
}

/// A search for the end of a row, which continues when more bytes are read.
private struct RowScan {
    let isCSV: Bool
    private var isQuoted = false
    private var isEscaped = false
    /// Whether a quotation mark begins or continues quotes, at the beginning of a value or after quotes.
    private var maybeQuoted = true
    private var depth = 0

    init(isCSV: Bool) { self.isCSV = isCSV }

    /// The part that a file which ends here leaves open; `nil` if its last row is complete.
    var openPart: String? { isCSV ? (isQuoted ? "quotes" : nil) : "an object" }

    /// Returns the index after the last byte of the row; `nil` if more bytes are needed.
    mutating func end(in bytes: ArraySlice<UInt8>) -> Int? {
        for index in bytes.indices where isCSV ? endsLine(bytes[index]) : endsObject(bytes[index]) { return index + 1 }
        return nil
    }

    private mutating func endsLine(_ byte: UInt8) -> Bool {
        if byte == UInt8(ascii: "\""), isQuoted || maybeQuoted {
            isQuoted.toggle()
            maybeQuoted = true
        } else if !isQuoted {
            maybeQuoted = byte == UInt8(ascii: ",")
        }
        return byte == UInt8(ascii: "\n") && !isQuoted
    }

    private mutating func endsObject(_ byte: UInt8) -> Bool {
        if isQuoted {
            if !isEscaped, byte == UInt8(ascii: "\"") { isQuoted = false }
            isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            return false
        }
        switch byte {
        case UInt8(ascii: "\""): isQuoted = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
        default: break
        }
        return depth <= 0
    }
}

/// The position of a reader between the objects of a file.
private enum ObjectSequence {
    case start
    /// Objects follow each other.
    case objects
    /// An array has begun.
    case firstElement
    /// An element of an array was read.
    case separator
    /// A comma was read.
    case nextElement
    /// The array has ended.
    case end

    /// Takes a byte that is not white space.
    ///
    /// - Returns: Whether the byte begins an object; `nil` if it is not expected.
    mutating func take(_ byte: UInt8) -> Bool? {
        switch (self, byte) {
        case (.start, UInt8(ascii: "[")): self = .firstElement
        case (.start, UInt8(ascii: "{")), (.objects, UInt8(ascii: "{")):
            self = .objects
            return true
        case (.firstElement, UInt8(ascii: "{")), (.nextElement, UInt8(ascii: "{")):
            self = .separator
            return true
        case (.firstElement, UInt8(ascii: "]")), (.separator, UInt8(ascii: "]")): self = .end
        case (.separator, UInt8(ascii: ",")): self = .nextElement
        default: return nil
        }
        return false
    }

    /// The expected text.
    var expectation: String {
        switch self {
        case .start: "an object, or an array of objects"
        case .objects, .nextElement: "an object"
        case .firstElement: "an object or ]"
        case .separator: "a comma or ]"
        case .end: "nothing after the array"
        }
    }

    /// Whether the file may end here.
    var mayEnd: Bool {
        switch self {
        case .start, .objects, .end: true
        case .firstElement, .separator, .nextElement: false
        }
    }
}
