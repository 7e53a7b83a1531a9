import Cabinet
import CabinetTesting
import Foundation
import Testing

@Suite("Made-up queries against a schema")
struct ValidQueryTests {
    @Test("A valid query runs, in a strict and in a growing container", arguments: [1, 2, 3, 4])
    func validQueriesRun(seed: UInt64) async throws {
        let world = try await World()
        var queries = MadeUpQueries(seed: seed)
        var valid = 0
        var refused = 0
        for _ in 0..<1_000 {
            let query = queries.query()
            let isValid = (try? query.validate(against: World.schema)) != nil
            if isValid { valid += 1 } else { refused += 1 }
            do {
                let found = try await world.strict.records(matching: query)
                #expect(isValid, "ran, although it is not valid: \(query)")
                #expect(try await world.growing.records(matching: query).matchResults.count == found.matchResults.count)
            } catch {
                #expect(!isValid, "\(query): \(error)")
            }
            // The store has exactly the schema.
            #expect(((try? await world.growing.validate(query)) != nil) == isValid)
        }
        #expect(valid > 100 && refused > 100)
    }

    @Test("Known names and right kinds are never refused", arguments: [5, 6, 7, 8])
    func rightQueriesAreValid(seed: UInt64) async throws {
        let world = try await World()
        var queries = MadeUpQueries(seed: seed)
        queries.isRight = true
        for _ in 0..<1_000 {
            let query = queries.query()
            #expect(throws: Never.self, "\(query)") { try query.validate(against: World.schema) }
            await #expect(throws: Never.self, "\(query)") { try await world.strict.records(matching: query) }
        }
    }
}

private struct World {
    static let types: KeyValuePairs<String, FieldType> = [
        "text": .string, "whole": .int64, "real": .double, "at": .timestamp, "data": .bytes, "ref": .reference,
        "texts": .list(of: .string), "reals": .list(of: .double), "refs": .list(of: .reference),
    ]

    static let schema: Schema = {
        var schema = Schema()
        for (key, type) in types { schema["A"][key] = Schema.Field(type) }
        schema["B"]["text"] = Schema.Field(.string)
        schema["B"]["real"] = Schema.Field(.double)
        return schema
    }()

    let strict: Database
    let growing: Database

    init() async throws {
        let backend = MemoryBackend()
        strict = try Container(identifier: "made.up", backend: backend, schema: .strict(Self.schema)).privateDatabase
        growing = try Container(identifier: "made.up", backend: backend).privateDatabase
        var b = Record(recordType: "B", recordID: RecordID(recordName: "b"))
        b["text"] = "milk"
        b["real"] = 2.5
        var full = Record(recordType: "A", recordID: RecordID(recordName: "a"))
        for (key, type) in Self.types {
            full[key] =
                type.isList ? MadeUpQueries.list(type.scalar).recordValue : MadeUpQueries.value(type.scalar).recordValue
        }
        let results = try await strict.modifyRecords(
            saving: [b, full, Record(recordType: "A", recordID: RecordID(recordName: "empty"))], deleting: [])
        for result in results.saveResults.values { _ = try result.get() }
    }
}

/// Queries of few fields and values.
///
/// About half of them are invalid unless `isRight` is set.
private struct MadeUpQueries {
    private var generator: SeededGenerator
    var isRight = false

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    private static let paths: [(key: String, type: FieldType)] =
        World.types.map { ($0, $1) } + [
            ("creationDate", .timestamp), ("recordID", .reference), ("creatorUserRecordID", .reference),
            ("ref.text", .string), ("ref.real", .double), ("ref.modificationDate", .timestamp),
            ("ref.ref.text", .string),
            ("texts.@count", .int64), ("reals.@max", .double), ("refs.text", .list(of: .string)),
        ]

    static func value(_ scalar: FieldType.Scalar) -> FieldValue {
        switch scalar {
        case .string: .string("milk")
        case .int64: .int64(2)
        case .double: .double(2.5)
        case .timestamp: .timestamp(Date(timeIntervalSinceReferenceDate: 1))
        case .bytes: .bytes(Data([1]))
        default: .reference(Reference(recordID: RecordID(recordName: "b"), action: .none))
        }
    }

    static func list(_ scalar: FieldType.Scalar) -> FieldValue {
        switch scalar {
        case .string: .list(.string(["milk", "b"]))
        case .int64: .list(.int64([1, 2]))
        case .double: .list(.double([2.5, 3]))
        case .timestamp:
            .list(.timestamp([Date(timeIntervalSinceReferenceDate: 1), Date(timeIntervalSinceReferenceDate: 2)]))
        case .bytes: .list(.bytes([Data([1]), Data()]))
        default: .list(.reference(["a", "b"].map { Reference(recordID: RecordID(recordName: $0), action: .none) }))
        }
    }

    mutating func query() -> Query {
        let order = chance(3) ? [Sort(pick(["text", "real", "ref.text", "creationDate", "whole"]))] : []
        let type = isRight || !chance(30) ? "A" : pick(["B", "C", "a"])
        return Query(recordType: type, filter: filter(depth: 2), sortedBy: order)
    }

    private mutating func filter(depth: Int) -> Filter {
        switch depth == 0 ? 0 : Int.random(in: 0..<6, using: &generator) {
        case 0, 1, 2: .comparison(isRight ? right() : anything())
        case 3: .not(filter(depth: depth - 1))
        case 4: .and([filter(depth: depth - 1), filter(depth: depth - 1)])
        default: .or([filter(depth: depth - 1), filter(depth: depth - 1)])
        }
    }

    private mutating func anything() -> Filter.Comparison {
        if !chance(3) { return right() }
        let operation = pick(Filter.Operator.allCases)
        let quantifier = chance(4) ? pick(Filter.Quantifier.allCases) : .single
        return Filter.Comparison(operand(), operation, operand(), quantifier: quantifier)
    }

    private mutating func operand() -> Filter.Expression {
        let scalar = pick([FieldType.Scalar.string, .int64, .double, .timestamp, .bytes, .reference])
        switch Int.random(in: 0..<10, using: &generator) {
        case 0...4: return .field(pick(Self.paths).key)
        case 5: return .field(pick(["txet", "wholle", "ref.txet", "refs.none", "nothing"]))
        case 6, 7: return .constant(Self.value(scalar))
        case 8: return .constant(Self.list(scalar))
        default: return .constant(nil)
        }
    }

    /// A comparison of a field with a value that it can be compared with.
    private mutating func right() -> Filter.Comparison {
        let (key, type) = pick(Self.paths)
        let field = Filter.Expression.field(key)
        // All numbers have one type.
        let isWhole = type.scalar == .int64 || type.scalar == .double && chance(2)
        let scalar = isWhole ? pick([FieldType.Scalar.int64, .double]) : type.scalar
        let value = Filter.Expression.constant(chance(6) ? nil : Self.value(scalar))
        let list = Filter.Expression.constant(Self.list(scalar))
        if type.isList {
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: return Filter.Comparison(field, .contains, value)
            case 1: return Filter.Comparison(value, .in, field)
            case 2: return Filter.Comparison(field, pick([.equal, .notEqual]), list)
            default:
                return Filter.Comparison(
                    field, pick([.equal, .notEqual]), value, quantifier: pick([.any, .all, .none]))
            }
        }
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: return Filter.Comparison(field, .in, list)
        case 1 where type.scalar != .reference: return Filter.Comparison(field, .between, list)
        case 2 where type.scalar != .reference:
            return Filter.Comparison(
                value, pick([.lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual]), field)
        case 3 where type.scalar == .string:
            return Filter.Comparison(
                field, pick([.contains, .beginsWith, .endsWith, .like, .tokenMatches, .search]), value)
        default: return Filter.Comparison(field, pick([.equal, .notEqual]), value)
        }
    }

    private mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &generator)]
    }
}
