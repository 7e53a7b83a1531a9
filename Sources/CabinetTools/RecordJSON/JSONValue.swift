package import Cabinet
import CabinetWire
import Foundation

/// A JSON value whose objects keep the order of their members, so that the output is stable.
package enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([Member])

    /// A member of an object.
    package struct Member: Sendable, Equatable {
        package let key: String
        package let value: JSONValue

        package init(key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    package subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    package var string: String? {
        if case .string(let text) = self { text } else { nil }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral {
    package init(stringLiteral value: String) { self = .string(value) }

    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { Member(key: $0.0, value: $0.1) })
    }
}

extension JSONValue: CustomStringConvertible {
    /// The value on one line.
    package var description: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        // A number that is not finite has no spelling in JSON; records have an object for it.
        case .number(let value): value.isFinite ? "\(value)" : "null"
        case .string(let text): Self.quoted(text)
        case .array(let values): "[" + values.map(\.description).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { "\(Self.quoted($0.key)):\($0.value)" }.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            // Terminals interpret control characters, some readers take U+2028 for the end of a line, and some characters turn the
            // text around.
            case _ where scalar.isControl || (0x2028...0x2029).contains(scalar.value):
                result += "\\u" + String(String(scalar.value + 0x10000, radix: 16).dropFirst())
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

extension Unicode.Scalar {
    /// Whether no key gives the character, or it changes the direction of a text.
    var isControl: Bool {
        properties.generalCategory == .control || (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
    }
}

extension JSONValue {
    /// Reads one value from strict JSON.
    package init(parsing text: String) throws(CabinetError) {
        self = try Self(JSONText(Array(text.utf8)).root)
    }

    private init(_ node: JSONNode) throws(CabinetError) {
        switch node.kind {
        case .object:
            var members: [Member] = []
            for (key, value) in node.members { members.append(Member(key: key, value: try Self(value))) }
            self = .object(members)
        case .array: self = .array(try node.array { node throws(CabinetError) in try Self(node) })
        case .text, .escapedText: self = .string(try node.string())
        case .integer:
            let number = try? node.int64()
            self = if let number { .integer(number) } else { .number(try node.double()) }
        case .number: self = .number(try node.double())
        case .yes, .no: self = .bool(try node.bool())
        case .null, .end: self = .null
        }
    }

    /// Reads an object that a person may have typed.
    package init(record text: String) throws(CabinetError) {
        do {
            self = try Self(try JSONText(Array(text.utf8)).root.object())
        } catch {
            // An object with a key twice is one.
            if error.fieldKey != nil { throw error }
            throw CabinetError(
                .invalidArguments, "This is not a JSON object: '\(text.prefix(60))'.\n\(error.message)")
        }
    }
}
