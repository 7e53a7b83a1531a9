package import Foundation

/// Writes a JSON text from its first value to its last, and sets the commas.
package struct JSONWriter {
    /// The text so far and the room behind it, because appending to an array costs more than the few bytes of most parts.
    private var storage: [UInt8]
    private var count = 0
    private var needsComma = false

    /// Creates a writer.
    ///
    /// - Parameter capacity: The number of bytes to reserve.
    package init(capacity: Int = 1024) {
        storage = Self.room(capacity)
    }

    /// The text so far, in UTF-8.
    package var bytes: [UInt8] { Array(storage[..<count]) }

    // MARK: Containers

    /// Writes an object, whose members `body` writes.
    package mutating func object(_ body: (inout JSONWriter) throws(CabinetError) -> Void) throws(CabinetError) {
        open(UInt8(ascii: "{"))
        try body(&self)
        close(UInt8(ascii: "}"))
    }

    /// Writes an array, whose elements `body` writes.
    package mutating func array(_ body: (inout JSONWriter) throws(CabinetError) -> Void) throws(CabinetError) {
        open(UInt8(ascii: "["))
        try body(&self)
        close(UInt8(ascii: "]"))
    }

    /// Writes the key of a member; the value follows.
    package mutating func key(_ key: StaticString) {
        append(key.utf8CodeUnitCount + 4) { room in
            room.separate()
            room.put(UInt8(ascii: "\""))
            key.withUTF8Buffer { room.put($0) }
            room.put(UInt8(ascii: "\""))
            room.put(UInt8(ascii: ":"))
        }
        needsComma = false
    }

    /// Writes a key that a user chose.
    package mutating func key(_ key: String) {
        appendQuoted(key)
        append(1) { $0.put(UInt8(ascii: ":")) }
        needsComma = false
    }

    // MARK: Values

    package mutating func write(_ text: String) { appendQuoted(text) }

    package mutating func write(_ number: Int64) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var position = 20
            var rest = number.magnitude
            repeat {
                position -= 1
                digits[position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            if number < 0 {
                position -= 1
                digits[position] = UInt8(ascii: "-")
            }
            appendValue(UnsafeBufferPointer(rebasing: digits[position...]))
        }
    }

    /// Writes a number with a fraction or an exponent, so that it differs from an integer, or a text if it is not finite.
    package mutating func write(_ number: Double) {
        if number.isFinite {
            number.description.withScalars { appendValue($0) }
        } else {
            appendQuoted(number.description)
        }
    }

    package mutating func write(_ flag: Bool) { appendValue(flag ? "true" : "false") }

    package mutating func writeNull() { appendValue("null") }

    /// Writes bytes as a text in Base64.
    package mutating func write(_ data: Data) {
        data.base64EncodedData().withUnsafeBytes { digits in
            append(digits.count + 3) { room in
                room.separate()
                room.put(UInt8(ascii: "\""))
                room.put(digits.bindMemory(to: UInt8.self))
                room.put(UInt8(ascii: "\""))
            }
        }
        needsComma = true
    }
}

// MARK: - Memory

/// The memory behind the text that was written, which has room for what is put there.
private struct Room {
    private(set) var address: UnsafeMutablePointer<UInt8>
    private let needsComma: Bool

    init(at address: UnsafeMutablePointer<UInt8>, needsComma: Bool) {
        (self.address, self.needsComma) = (address, needsComma)
    }

    mutating func separate() {
        if needsComma { put(UInt8(ascii: ",")) }
    }

    mutating func put(_ byte: UInt8) {
        address.pointee = byte
        address += 1
    }

    mutating func put(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let source = bytes.baseAddress else { return }
        address.update(from: source, count: bytes.count)
        address += bytes.count
    }
}

extension JSONWriter {
    /// Returns bytes that begin with others, and are zero behind them.
    ///
    /// Without optimization, an array fills itself a hundred times more slowly.
    private static func room(_ capacity: Int, after bytes: [UInt8] = []) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: capacity) { room, count in
            guard let start = room.baseAddress else { return }
            bytes.withUnsafeBufferPointer { bytes in
                if let source = bytes.baseAddress { memcpy(start, source, bytes.count) }
            }
            memset(start + bytes.count, 0, capacity - bytes.count)
            count = capacity
        }
    }

    /// Appends what a closure puts, which is at most `size` bytes.
    private mutating func append(_ size: Int, _ body: (inout Room) -> Void) {
        if storage.count - count < size {
            storage = Self.room(storage.count + max(size, storage.count), after: storage)
        }
        count = storage.withUnsafeMutableBufferPointer { [count, needsComma] bytes in
            guard let start = bytes.baseAddress else { return 0 }
            var room = Room(at: start + count, needsComma: needsComma)
            body(&room)
            return room.address - start
        }
    }

    private mutating func append(_ text: StaticString) {
        append(text.utf8CodeUnitCount) { room in text.withUTF8Buffer { room.put($0) } }
    }

    private mutating func open(_ bracket: UInt8) {
        append(2) { room in
            room.separate()
            room.put(bracket)
        }
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        append(1) { $0.put(bracket) }
        needsComma = true
    }

    private mutating func appendValue(_ text: StaticString) {
        text.withUTF8Buffer { appendValue($0) }
    }

    private mutating func appendValue(_ bytes: UnsafeBufferPointer<UInt8>) {
        append(bytes.count + 1) { room in
            room.separate()
            room.put(bytes)
        }
        needsComma = true
    }
}

// MARK: - Texts

extension JSONWriter {
    private mutating func appendQuoted(_ text: String) {
        text.withScalars { scalars in
            let first = Self.escape(in: scalars, from: 0)
            append((first ?? scalars.count) + 3) { room in
                room.separate()
                room.put(UInt8(ascii: "\""))
                room.put(UnsafeBufferPointer(rebasing: scalars[..<(first ?? scalars.count)]))
                if first == nil { room.put(UInt8(ascii: "\"")) }
            }
            if let first { appendRest(of: scalars, from: first) }
        }
        needsComma = true
    }

    /// Appends a text from a byte on that must be escaped.
    private mutating func appendRest(of scalars: UnsafeBufferPointer<UInt8>, from first: Int) {
        var position = first
        while position < scalars.count {
            appendEscape(scalars[position])
            let end = Self.escape(in: scalars, from: position + 1) ?? scalars.count
            append(end - position) { $0.put(UnsafeBufferPointer(rebasing: scalars[(position + 1)..<end])) }
            position = end
        }
        append(1) { $0.put(UInt8(ascii: "\"")) }
    }

    /// Returns the position of the first byte that must be escaped.
    private static func escape(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        let raw = UnsafeRawBufferPointer(bytes)
        var position = start
        // Eight bytes at once, as long as none of them is one.
        while position + 8 <= raw.count,
            !hasEscape(raw.loadUnaligned(fromByteOffset: position, as: UInt64.self))
        {
            position += 8
        }
        while position < bytes.count {
            if needsEscape(bytes[position]) { return position }
            position += 1
        }
        return nil
    }

    /// Whether one of eight bytes must be escaped.
    ///
    /// A byte below a limit borrows from its highest bit when the limit is subtracted, unless it had that bit itself.
    private static func hasEscape(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = word ^ ones &* UInt64(UInt8(ascii: "\""))
        let backslash = word ^ ones &* UInt64(UInt8(ascii: "\\"))
        let control = (word &- ones &* 0x20) & ~word
        let found = control | (quote &- ones) & ~quote | (backslash &- ones) & ~backslash
        return found & (ones &* 0x80) != 0
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func appendEscape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case UInt8(ascii: "\n"): append("\\n")
        case UInt8(ascii: "\t"): append("\\t")
        case UInt8(ascii: "\r"): append("\\r")
        default:
            append(byte < 0x10 ? "\\u000" : "\\u001")
            let digit = byte & 0x0F
            append(1) { $0.put(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10) }
        }
    }
}
