import Cabinet
import CabinetTesting
import Foundation

/// Random filters of every valid shape: those of the parser and the builders, and those built case by case.
struct RandomFilters {
    var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func filter(depth: Int) -> Filter {
        switch Int.random(in: 0..<(depth == 0 ? 3 : 10), using: &generator) {
        case 0: return .constant(.random(using: &generator))
        case 1, 2: return comparison()
        case 3, 4: return .not(filter(depth: depth - 1))
        case 5, 6, 7: return .and(chain(depth: depth))
        default: return .or(chain(depth: depth))
        }
    }

    private mutating func chain(depth: Int) -> [Filter] {
        // Rarely fewer than two, because the trees stay small with many of those.
        let isShort = Int.random(in: 0..<6, using: &generator) == 0
        let count = Int.random(in: isShort ? 0...1 : 2...4, using: &generator)
        return (0..<count).map { _ in filter(depth: depth - 1) }
    }

    private mutating func comparison() -> Filter {
        let operation = Filter.Operator.allCases.randomElement(using: &generator) ?? .equal
        let quantifier = Filter.Quantifier.allCases.randomElement(using: &generator) ?? .single
        let bits = Bool.random(using: &generator) ? 0 : Int.random(in: 1...7, using: &generator)
        var left = expression(depth: 2)
        if operation.findsWords, Bool.random(using: &generator) { left = .searchableText }
        return .comparison(
            Filter.Comparison(
                left, operation, expression(depth: 3), options: Filter.Options(rawValue: bits), quantifier: quantifier))
    }

    /// An operand; of depth 0 a field, a variable or a constant.
    mutating func expression(depth: Int) -> Filter.Expression {
        switch Int.random(in: 0..<(depth == 0 ? 9 : 22), using: &generator) {
        case 0, 1: return .field(path())
        case 2: return .variable(["x", "in", "_1", "", "1", "my limit", "$x"].randomElement(using: &generator) ?? "x")
        case 3: return .constant(nil)
        case 4: return .constant(.string(text()))
        case 5: return .constant(.int64([.min, -1, 0, 1, 5, .max].randomElement(using: &generator) ?? 0))
        case 6: return .constant(.double(Double(bitPattern: .random(in: 0..<0x7FF0_0000_0000_0000, using: &generator))))
        case 7: return .constant(.double([-0.0, 2, -1e16, 1e15, 0.1].randomElement(using: &generator) ?? 0))
        case 8: return .constant(value())
        case 9...13:
            let operation = Filter.Arithmetic.allCases.randomElement(using: &generator) ?? .plus
            return .arithmetic(expression(depth: depth - 1), operation, expression(depth: depth - 1))
        case 14: return .negative(expression(depth: depth - 1))
        case 15: return .member(expression(depth: depth - 1), path(isContinued: true))
        case 16, 17: return .element(expression(depth: depth - 1), index(depth: depth - 1))
        case 18: return .distance(expression(depth: depth - 1), expression(depth: depth - 1))
        case 19: return .list(list { .constant($0.scalar()) })
        default:
            let elements = list { $0.expression(depth: depth - 1) }
            return Bool.random(using: &generator) ? .list(elements) : Filter.Expression(list: elements)
        }
    }

    private mutating func list<Element>(_ element: (inout Self) -> Element) -> [Element] {
        (0..<Int.random(in: 0...3, using: &generator)).map { _ in element(&self) }
    }

    // MARK: Constants

    /// A value of any type, or a list of any type, also an empty one.
    private mutating func value() -> FieldValue {
        if Bool.random(using: &generator) { return scalar() }
        let type = FieldType.Scalar.allCases.randomElement(using: &generator) ?? .string
        return FieldList(list { $0.scalar(type) }, of: type).map(FieldValue.list) ?? .int64(0)
    }

    private mutating func scalar() -> FieldValue {
        scalar(FieldType.Scalar.allCases.randomElement(using: &generator) ?? .string)
    }

    private mutating func scalar(_ type: FieldType.Scalar) -> FieldValue {
        switch type {
        case .string: .string(text())
        case .int64: .int64(.random(in: .min ... .max, using: &generator))
        case .double: .double(number(orNaN: true))
        case .timestamp: .timestamp(Date(timeIntervalSinceReferenceDate: number()))
        case .bytes: .bytes(bytes())
        case .reference: .reference(reference())
        case .location: .location(location())
        case .asset:
            .asset(
                Bool.random(using: &generator)
                    ? Asset(data: bytes())
                    : Asset(
                        StoredAsset(
                            checksum: Asset.Checksum(of: bytes()), size: .random(in: 0 ... .max, using: &generator))))
        }
    }

    /// Any number; a date, or a location, that is not a number does not equal itself.
    private mutating func number(orNaN: Bool = false) -> Double {
        let numbers =
            [0, -0.0, 0.1, 694_224_000, -1.5e300, .leastNonzeroMagnitude, .infinity, -.infinity]
            + (orNaN ? [.nan, -.nan] : [])
        if Bool.random(using: &generator), let number = numbers.randomElement(using: &generator) { return number }
        let any = Double(bitPattern: .random(in: .min ... .max, using: &generator))
        return any.isNaN ? 0 : any
    }

    private mutating func bytes() -> Data {
        Data((0..<Int.random(in: 0...5, using: &generator)).map { _ in .random(in: .min ... .max, using: &generator) })
    }

    private mutating func reference() -> Reference {
        let zoneID = [
            .default, RecordZone.ID(zoneName: text()), RecordZone.ID(zoneName: text(), ownerName: text()),
            RecordZone.ID(ownerName: "_ada"),
        ].randomElement(using: &generator)
        let action = Reference.Action.allCases.randomElement(using: &generator)
        return Reference(recordID: RecordID(recordName: text(), zoneID: zoneID ?? .default), action: action ?? .none)
    }

    private mutating func location() -> Location {
        let rest = (0..<5).map { _ in Bool.random(using: &generator) ? number() : nil }
        let date = Bool.random(using: &generator) ? Date(timeIntervalSinceReferenceDate: number()) : nil
        return Location(
            latitude: number(), longitude: number(), altitude: rest[0], horizontalAccuracy: rest[1],
            verticalAccuracy: rest[2], course: rest[3], speed: rest[4], timestamp: date)
    }

    // MARK: Names

    private mutating func index(depth: Int) -> Filter.Index {
        switch Int.random(in: 0...4, using: &generator) {
        case 0: .first
        case 1: .last
        case 2: .size
        default: .at(expression(depth: depth))
        }
    }

    private mutating func path(isContinued: Bool = false) -> String {
        let names = [
            "a", "b", "IN", "size", "recordID", "_x9", "SELF", "last", "allTokens", "TokenMatches", "cast", "And",
            "Größe",
            "my field", "1st", "it's", "a\nb", "-1", "#a", "{", "e\u{301}", "x@", "<a>",
        ]
        let operators = ["@count", "@sum", "@sum.SELF", "@avg.a", "@min.b.IN", "@max"]
        var steps = (0..<Int.random(in: 1...3, using: &generator)).compactMap { _ in
            names.randomElement(using: &generator)
        }
        if Int.random(in: 0..<4, using: &generator) == 0 {
            if isContinued, Bool.random(using: &generator) { steps = [] }
            steps.append(operators.randomElement(using: &generator) ?? "@count")
        }
        return steps.joined(separator: ".")
    }

    private mutating func text() -> String {
        let parts = [
            "", "a", "'", "\"", "\\", "\n", "\t", "\r", "\0", "%@", "é", "e\u{301}", "\u{301}", "👩‍👧", " AND ", "}",
            "\u{202E}",
        ]
        return (0..<Int.random(in: 0...5, using: &generator)).compactMap { _ in parts.randomElement(using: &generator) }
            .joined()
    }
}
