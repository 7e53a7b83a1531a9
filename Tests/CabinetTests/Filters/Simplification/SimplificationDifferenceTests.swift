import Cabinet
import CabinetTesting
import Foundation
import Testing

@Suite("Simplified filters against the originals, drawn at random")
struct SimplificationDifferenceTests {
    @Test("The same answer for every record; no larger; and not simpler a second time", arguments: [1, 2, 3, 4])
    func random(seed: UInt64) throws {
        var filters = SmallWorldFilters(seed: seed)
        let records = (0..<8).map { _ in filters.record() }
        var answers: [Bool: Int] = [:]
        var smaller = 0
        var valid = 0
        for _ in 0..<1_500 {
            let filter = filters.filter(depth: 4)
            let simplified = filter.simplified()
            #expect(simplified.simplified() == simplified, "\(filter)")
            #expect(simplified.size <= filter.size, "\(filter) became \(simplified)")
            if simplified.size < filter.size { smaller += 1 }
            guard var original = try? CompiledFilter(filter, fields: SmallWorldFilters.fields) else { continue }
            valid += 1
            // A filter that was valid before is still valid.
            var other = try CompiledFilter(simplified, fields: SmallWorldFilters.fields)
            for record in records {
                guard let answer = try? original.matches(record) else { continue }
                #expect(try other.matches(record) == answer, "\(filter) became \(simplified)")
                answers[answer, default: 0] += 1
            }
        }
        // Otherwise the test would prove nothing.
        #expect(answers.values.allSatisfy { $0 > 500 } && answers.count == 2 && smaller > 500 && valid > 300)
    }
}

/// Filters of few fields and constants, so that much of them is equal, constant, or neutral.
private struct SmallWorldFilters {
    var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    static let fields: FieldTypes = [
        "n": .int64, "x": .double, "s": .string, "tags": .list(of: .string), "nums": .list(of: .int64),
        "place": .location,
    ]

    mutating func record() -> StoredRecord {
        var values: [Record.FieldKey: FieldValue] = [:]
        if chance(3) { values["n"] = .int64(.random(in: 0...2, using: &generator)) }
        if chance(3) { values["x"] = [0.5, 1, 2].randomElement(using: &generator).map(FieldValue.double) }
        if chance(3) { values["s"] = ["", "a", "A", "ab"].randomElement(using: &generator).map(FieldValue.string) }
        if chance(3) {
            values["tags"] = .list(.string(["a", "b", "ab"].prefix(.random(in: 0...3, using: &generator)) + []))
        }
        if chance(3) { values["nums"] = .list(.int64([0, 1, 2].suffix(.random(in: 0...3, using: &generator)) + [])) }
        if chance(3) { values["place"] = .location(Location(latitude: 1, longitude: 2)) }
        let names = values.keys.sorted()
        return StoredRecord(
            recordID: RecordID(recordName: "r"), recordType: "Items", sequenceNumber: 1, creationDate: Date(),
            creatorName: "u",
            modificationDate: Date(), lastModifierName: "u", parentName: nil,
            fields: FieldValues(names: FieldNames(names), values: names.map { values[$0] }))
    }

    mutating func filter(depth: Int) -> Filter {
        switch Int.random(in: 0..<(depth == 0 ? 7 : 14), using: &generator) {
        case 0: .constant(.random(using: &generator))
        case 1..<7: comparison()
        case 7..<10: .not(filter(depth: depth - 1))
        case 10..<12: .and(chain(depth: depth))
        default: .or(chain(depth: depth))
        }
    }

    private mutating func chain(depth: Int) -> [Filter] {
        var filters = (0..<Int.random(in: 0...4, using: &generator)).map { _ in filter(depth: depth - 1) }
        if let first = filters.first, chance(2) { filters.append(first) }
        return filters
    }

    /// Mostly operands that the operator accepts, because a refused filter proves nothing.
    private mutating func comparison() -> Filter {
        let options: Filter.Options = chance(4) ? .caseInsensitive : []
        switch Int.random(in: 0..<12, using: &generator) {
        case 0..<4: return compared(number(depth: 2), number(depth: 2))
        case 4: return compared(text(), text(), options: options)
        case 5:
            return text().compared(
                textOperators.randomElement(using: &generator) ?? .like, to: text(), options: options)
        case 6: return number(depth: 1).compared(.in, to: numbers(), options: [])
        case 7: return texts().compared(.contains, to: text(), options: options)
        case 8: return number(depth: 1).isBetween(number(depth: 1), number(depth: 1))
        case 9: return quantified(.any, .all, .none).compared(order(), to: number(depth: 1), options: [])
        case 10: return quantified(.any, .all, .none).compared(.in, to: numbers(), options: [])
        default: return compared(anything(), anything(), options: options)
        }
    }

    private let textOperators: [Filter.Operator] = [
        .beginsWith, .endsWith, .like, .contains, .in, .matches, .tokenMatches, .search,
    ]

    private mutating func order() -> Filter.Operator {
        [.equal, .notEqual, .lessThan, .greaterThanOrEqual].randomElement(using: &generator) ?? .equal
    }

    private mutating func compared(
        _ left: Filter.Expression, _ right: Filter.Expression, options: Filter.Options = []
    ) -> Filter {
        left.compared(order(), to: right, options: options)
    }

    private mutating func quantified(_ quantifiers: Filter.Quantifier...) -> Filter.Elements {
        Filter.Elements(quantifiers.randomElement(using: &generator) ?? .any, of: numbers())
    }

    private mutating func number(depth: Int) -> Filter.Expression {
        switch Int.random(in: 0..<(depth == 0 ? 7 : 13), using: &generator) {
        case 0, 1: return .field("n")
        case 2: return .field("x")
        case 3: return .field("missing")
        case 4: return .value(nil)
        case 5, 6: return .value(Int.random(in: -1...2, using: &generator))
        case 7: return .value([0.5, 2.0].randomElement(using: &generator))
        case 8: return -number(depth: depth - 1)
        case 9: return numbers()[number(depth: 0)]
        case 10: return numbers().count
        case 11: return place().distance(to: place())
        default:
            let operation = Filter.Arithmetic.allCases.randomElement(using: &generator) ?? .plus
            return .arithmetic(number(depth: depth - 1), operation, number(depth: depth - 1))
        }
    }

    private mutating func numbers() -> Filter.Expression {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0, 1: return .field("nums")
        case 2: return .list([])
        case 3: return .value([0, 1])
        case 4: return .list([number(depth: 1), number(depth: 1)])
        default: return .list([.value(1), .value(2)])
        }
    }

    private mutating func text() -> Filter.Expression {
        switch Int.random(in: 0..<8, using: &generator) {
        case 0, 1: .field("s")
        case 2: .value(nil)
        case 3: .value(["a", "b"])[number(depth: 0)]
        case 4: .field("tags").first
        default: .value(["", "a", "A", "a*", "b"].randomElement(using: &generator))
        }
    }

    private mutating func texts() -> Filter.Expression {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0, 1: .field("tags")
        case 2: .value(["a", "b"])
        default: .list([])
        }
    }

    private mutating func place() -> Filter.Expression {
        chance(2) ? .field("place") : .value(Location(latitude: 1, longitude: 2))
    }

    private mutating func anything() -> Filter.Expression {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: number(depth: 2)
        case 1: text()
        case 2: numbers()
        case 3: texts()
        case 4: place()
        default: .list([.value(1), text()])[number(depth: 0)]
        }
    }

    /// True in all but one of this many calls.
    private mutating func chance(_ count: Int) -> Bool {
        Int.random(in: 0..<count, using: &generator) > 0
    }
}

extension Filter {
    /// The number of nodes, operands included.
    fileprivate var size: Int {
        switch self {
        case .constant: 1
        case .comparison(let comparison): 1 + comparison.left.size + comparison.right.size
        case .and(let children), .or(let children): children.reduce(1) { $0 + $1.size }
        case .not(let child): 1 + child.size
        }
    }
}

extension Filter.Expression {
    fileprivate var size: Int {
        switch self {
        case .list(let elements): elements.reduce(1) { $0 + $1.size }
        case .element(let list, .at(let position)): 1 + list.size + position.size
        case .element(let operand, _), .member(let operand, _), .negative(let operand): 1 + operand.size
        case .arithmetic(let left, _, let right), .distance(let left, let right): 1 + left.size + right.size
        default: 1
        }
    }
}
