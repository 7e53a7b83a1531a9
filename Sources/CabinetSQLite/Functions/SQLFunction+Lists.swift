import Cabinet
import Foundation

/// Functions for lists, which are stored as JSON.
///
/// SQLite's own JSON functions cut text at NUL, and round some fractions differently.
extension SQLFunction {
    static let lists = [
        // cabinet_list_test(list of text, quantifier, operator, right side, options): whether the elements match
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
        // cabinet_element(list, element type, index): the element as a column would hold it; the index -1 is the last
        // element
        SQLFunction("cabinet_element", 3) { arguments in
            guard let text = arguments.bytes(0), let index = arguments.integer(2),
                let type = arguments.text(1).flatMap(FieldType.Scalar.init(rawValue:))
            else { return nil }
            guard let list = try? ListCoding.list(of: type, from: text, in: .default) else {
                throw SQLiteFailure.damagedList
            }
            let position = index == -1 ? list.count - 1 : Int(clamping: index)
            guard (0..<list.count).contains(position) else { return nil }
            return list.elements[position].sqlValue
        },
    ]
}

/// Parses lists of text element by element.
private enum TextList {
    /// Calls the body with each element until it returns `false`.
    static func forEach(in text: UnsafeBufferPointer<UInt8>, _ body: (String) throws -> Bool) throws {
        if try forEachPlain(in: text, body) { return }
        guard case .string(let elements)? = try? ListCoding.list(of: .string, from: text, in: .default) else {
            throw SQLiteFailure.damagedList
        }
        for element in elements where try !body(element) { return }
    }

    /// Parses a list in Cabinet's own format without backslashes, which is many times faster than a JSON parser.
    ///
    /// - Returns: Whether the list has this format. If not, the body was not called.
    private static func forEachPlain(
        in text: UnsafeBufferPointer<UInt8>, _ body: (String) throws -> Bool
    ) throws -> Bool {
        let quote = UInt8(ascii: "\"")
        guard text.count >= 2, text.first == UInt8(ascii: "["), text.last == UInt8(ascii: "]"),
            !text.contains(UInt8(ascii: "\\"))
        else { return false }
        if text.count == 2 { return true }
        // Without backslashes, every second quotation mark ends an element. All are checked before the first call of
        // the body.
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
