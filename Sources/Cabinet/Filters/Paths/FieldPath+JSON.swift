import Foundation

extension FieldPath {
    /// A value in the JSON of a text: the way to it, and the type that it is read as.
    ///
    /// The way consists of the names of members. In an array, a number is the position of an element, from 0. The type is
    /// `STRING`, `INT64`, `DOUBLE` or `TIMESTAMP`, and a value of another type is nil, see <doc:FilterOperators>.
    public struct JSON: Sendable, Hashable {
        /// The type of the value.
        public let type: FieldType.Scalar

        /// The names of the members, or the positions of the elements, from the outermost one.
        ///
        /// Without any, the value is the whole text.
        public internal(set) var members: [String]

        private static let types: [FieldType.Scalar] = [.string, .int64, .double, .timestamp]

        /// The operators as messages list them.
        static let spelledOperators = "@string, @int64, @double or @timestamp"

        /// Begins a way with its operator, such as `@string`.
        ///
        /// - Returns: `nil` if the text is not an operator.
        init?(operator text: some StringProtocol) {
            guard let type = Self.types.first(where: { Self.operator(of: FieldType($0)) == text }) else { return nil }
            self.type = type
            members = []
        }

        /// Reads a step as ``description`` writes it.
        ///
        /// - Returns: `nil` if the text is not such a step.
        package init?(_ text: String) {
            guard let steps = try? FieldPath.steps(of: text), steps.count == 1, case .json(let json)? = steps.first
            else {
                return nil
            }
            self = json
        }

        /// The operator that reads a value as a type.
        static func `operator`(of type: FieldType) -> String { "@\(type.description.lowercased())" }
    }
}

extension FieldPath.JSON {
    /// Returns whether two steps lead to the same value: names are compared by their scalars.
    public static func == (left: Self, right: Self) -> Bool {
        left.type == right.type
            && left.members.elementsEqual(right.members) { $0.hasSameScalars(as: $1) }
    }

    /// Hashes the step.
    ///
    /// - Parameter hasher: The hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(type)
        for member in members { member.hashScalars(into: &hasher) }
    }
}

extension FieldPath.JSON: CustomStringConvertible {
    /// The step as it stands in a path: `@string.lines.0.name`.
    public var description: String {
        ([Self.operator(of: FieldType(type))] + members.map(Self.escaped)).joined(separator: ".")
    }

    /// Returns the name of a member as it stands in a path.
    static func escaped(_ name: String) -> String {
        var text = ""
        for character in name.unicodeScalars {
            switch character {
            case "~": text += "~0"
            case ".": text += "~1"
            case "@" where text.isEmpty: text += "~2"
            default: text.unicodeScalars.append(character)
            }
        }
        return text
    }

    /// Returns the name that a step of a path stands for; `nil` if a `~` is not part of `~0`, `~1` or `~2`.
    static func name(of step: Substring) -> String? {
        guard step.utf8.contains(UInt8(ascii: "~")) else { return String(step) }
        var name = ""
        var scalars = step.unicodeScalars.makeIterator()
        while let scalar = scalars.next() {
            if scalar != "~" {
                name.unicodeScalars.append(scalar)
                continue
            }
            switch scalars.next() {
            case "0": name += "~"
            case "1": name += "."
            case "2": name += "@"
            default: return nil
            }
        }
        return name
    }
}

extension FieldPath.JSON {
    /// Returns the value in a text.
    ///
    /// - Returns: `nil` if the text is not JSON, if it has no such value, or if the value is null or of another type.
    /// - Throws: ``CabinetError/Code/limitExceeded`` if the budget of the request is spent.
    /// - Complexity: O(*n*) in the length of the text.
    package func value(in text: String) throws(CabinetError) -> FieldValue? {
        var text = text
        try WorkMeter.spend(text.utf8.count / 8)
        return text.withUTF8 { bytes in
            JSONScanner.range(of: members, in: bytes).flatMap { value(of: UnsafeBufferPointer(rebasing: bytes[$0])) }
        }
    }

    /// - Parameter json: One value of a text that was read.
    private func value(of json: UnsafeBufferPointer<UInt8>) -> FieldValue? {
        guard let first = json.first else { return nil }
        return switch (type, first) {
        case (_, UInt8(ascii: "n")): nil
        case (.string, UInt8(ascii: "\"")): JSONScanner.string(json).map { .string($0) }
        case (.string, UInt8(ascii: "{")), (.string, UInt8(ascii: "[")): .string(String(decoding: json, as: UTF8.self))
        case (.string, _), (_, UInt8(ascii: "\"")), (_, UInt8(ascii: "{")), (_, UInt8(ascii: "[")): nil
        case (.int64, UInt8(ascii: "t")): .int64(1)
        case (.int64, UInt8(ascii: "f")): .int64(0)
        case (.double, UInt8(ascii: "t")): .double(1)
        case (.double, UInt8(ascii: "f")): .double(0)
        case (.timestamp, UInt8(ascii: "t")), (.timestamp, UInt8(ascii: "f")): nil
        case (.int64, _): JSONScanner.wholeNumber(json).map { .int64($0) }
        case (.double, _): JSONScanner.number(json).map { .double($0) }
        // The seconds since 2001, as `Date` is encoded.
        case (.timestamp, _): JSONScanner.number(json).map { .timestamp(Date(timeIntervalSinceReferenceDate: $0)) }
        default: nil
        }
    }
}
