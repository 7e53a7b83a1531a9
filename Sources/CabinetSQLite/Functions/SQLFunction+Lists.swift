import Cabinet
import Foundation

/// Functions about lists, which are stored as JSON.
///
/// SQLite has functions for JSON too, but cuts text at a NUL, and rounds fractions otherwise than they were written.
extension SQLFunction {
    static let lists = [
        // cabinet_list_test(list of text, quantifier, operator, right side, options): whether elements are so.
        SQLFunction("cabinet_list_test", 5) { arguments in
            guard let quantifier = arguments.text(1).flatMap(Filter.Quantifier.init(rawValue:)) else { return nil }
            let test = try textTest(arguments, from: 2)
            var isDecided = false
            if let list = arguments.bytes(0) {
                try TextList.forEach(in: list) { element in
                    let holds = try test?.holds(for: element) ?? false
                    isDecided = holds != (quantifier == .all)
                    return !isDecided
                }
            }
            let holds = quantifier == .any || quantifier == .single ? isDecided : !isDecided
            return .integer(holds ? 1 : 0)
        },
        // cabinet_element(list, element type, index): the element as a column would hold it; an index of -1 is the last.
        SQLFunction("cabinet_element", 3) { arguments in
            guard let text = arguments.bytes(0), let index = arguments.integer(2),
                let type = arguments.text(1).flatMap(FieldType.Scalar.init(rawValue:))
            else { return nil }
            guard let list = try? ListCoding.list(of: type, from: text, in: .default) else { throw damaged }
            let position = index == -1 ? list.count - 1 : Int(clamping: index)
            guard (0..<list.count).contains(position) else { return nil }
            return list.elements[position].sqlValue
        },
    ]

    private static var damaged: CabinetError {
        CabinetError(.internalError, "A field of lists holds something else. Undo what was changed by hand.")
    }
}

/// Reads lists of text element by element.
private enum TextList {
    /// Hands on the elements until told to stop.
    static func forEach(in text: UnsafeBufferPointer<UInt8>, _ body: (String) throws -> Bool) throws {
        if try forEachPlain(in: text, body) { return }
        guard case .string(let elements)? = try? ListCoding.list(of: .string, from: text, in: .default) else {
            throw CabinetError(.internalError, "A field of lists holds something else. Undo what was changed by hand.")
        }
        for element in elements where try !body(element) { return }
    }

    /// Reads a list that is as Cabinet writes it, and has no backslash, which is many times as fast.
    ///
    /// - Returns: Whether the list is such a one; if not, nothing was handed on.
    private static func forEachPlain(
        in text: UnsafeBufferPointer<UInt8>, _ body: (String) throws -> Bool
    ) throws -> Bool {
        let quote = UInt8(ascii: "\"")
        guard text.count >= 2, text.first == UInt8(ascii: "["), text.last == UInt8(ascii: "]"),
            !text.contains(UInt8(ascii: "\\"))
        else { return false }
        if text.count == 2 { return true }
        // Without backslashes, every second quotation mark ends an element: all is looked at before anything is handed on.
        var ends: [Int] = []
        var index = 1
        while true {
            guard index < text.count, text[index] == quote else { return false }
            guard let end = text[(index + 1)...].firstIndex(of: quote), end + 1 < text.count else { return false }
            ends += [index + 1, end]
            index = end + 1
            if index == text.count - 1 { break }
            guard text[index] == UInt8(ascii: ",") else { return false }
            index += 1
        }
        for pair in stride(from: 0, to: ends.count, by: 2) {
            let element = String(decoding: text[ends[pair]..<ends[pair + 1]], as: UTF8.self)
            if try !body(element) { return true }
        }
        return true
    }
}
