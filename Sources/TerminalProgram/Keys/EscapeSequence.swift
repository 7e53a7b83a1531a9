/// The keys that terminals send as several bytes, beginning with Escape.
enum EscapeSequence {
    /// The key at the beginning of bytes that begin with Escape, if it is complete, and its length in bytes.
    static func next(in bytes: ArraySlice<UInt8>) -> (key: Key?, length: Int)? {
        guard let second = bytes.dropFirst().first else { return nil }
        switch second {
        case UInt8(ascii: "["): return control(in: bytes)
        case UInt8(ascii: "O"):
            guard let third = bytes.dropFirst(2).first else { return nil }
            return (key(final: third, parameters: ""), 3)
        // Escape was pressed, and then another key.
        default: return (.escape, 1)
        }
    }

    /// Reads `ESC [ parameters final`, as ECMA-48 defines it.
    private static func control(in bytes: ArraySlice<UInt8>) -> (key: Key?, length: Int)? {
        let content = bytes.dropFirst(2)
        guard let end = content.firstIndex(where: { !(0x20...0x3F).contains($0) }) else {
            return content.count < 32 ? nil : (nil, bytes.count)
        }
        let parameters = String(decoding: content[..<end], as: UTF8.self)
        if parameters.hasPrefix("<") {
            let isPress = content[end] == UInt8(ascii: "M")
            return (isPress ? mouse(parameters.dropFirst()) : nil, end + 1 - bytes.startIndex)
        }
        return (key(final: content[end], parameters: parameters), end + 1 - bytes.startIndex)
    }

    /// Reads `button;column;row`, as xterm reports a pressed button in its SGR mode; the system's sizes of terminals have 16 bits.
    private static func mouse(_ parameters: Substring) -> Key? {
        let numbers = parameters.split(separator: ";").compactMap { Int($0) }
        guard numbers.count == 3, numbers[1...].allSatisfy({ 1...0xFFFF ~= $0 }) else { return nil }
        return switch numbers[0] {
        case 0: .click(row: numbers[2] - 1, column: numbers[1] - 1)
        case 64: .scrollUp
        case 65: .scrollDown
        default: nil
        }
    }

    private static func key(final: UInt8, parameters: String) -> Key? {
        switch Character(Unicode.Scalar(final)) {
        case "A": .up
        case "B": .down
        case "C": .right
        case "D": .left
        case "H": .home
        case "F": .end
        case "Z": .backTab
        // The key pad's Enter.
        case "M": .enter
        case "~": numbered(parameters)
        default: nil
        }
    }

    /// The keys with a number.
    ///
    /// A second number encodes the modifiers, which are ignored here.
    private static func numbered(_ parameters: String) -> Key? {
        switch parameters.prefix(while: { $0 != ";" }) {
        case "1", "7": .home
        case "3": .delete
        case "4", "8": .end
        case "5": .pageUp
        case "6": .pageDown
        default: nil
        }
    }
}
