import Cabinet
import Foundation

/// The properties of any bytes that are parsed as a filter; the body of the fuzzer, `Tests/Support/FilterFuzzer`.
///
/// The first byte encodes the number of arguments and their types; the rest is the format, in UTF-8. To keep corpora
/// easy to read and write, the digits `0` to `7` mean that many arguments, the first of them a text.
enum FilterFuzzChecks {
    /// A violated property.
    struct Violation: Error, CustomStringConvertible {
        let description: String
    }

    /// - Returns: Whether the bytes are a filter.
    /// - Throws: ``Violation``
    @discardableResult
    static func check(_ input: some Collection<UInt8>) throws -> Bool {
        let selector = Int(input.first ?? UInt8(ascii: "0"))
        let format = String(decoding: input.dropFirst(), as: UTF8.self)
        // '0' / 8 is 6.
        let arguments = (0..<selector % 8).map { Self.arguments[($0 + selector / 8 + 26) % Self.arguments.count] }
        let filter: Filter
        do {
            filter = try Filter(format: format, arguments: arguments)
        } catch {
            guard let error = error as? CabinetError, error.code == .invalidArguments,
                error.message.hasPrefix("The filter cannot be read at position "), error.message.hasSuffix("^")
            else { throw Violation(description: "a format is refused without a position: \(error)") }
            return false
        }
        try checkDescription(filter)
        try checkCoding(filter)
        _ = filter.validateForCloudKit(fields: fields)
        try checkEvaluation(filter.substituting(["x": 1, "y": "milk", "z": ["a", "b"]]))
        return true
    }

    /// Whether two filters are equal.
    ///
    /// A date, or a location, that is not a number does not even equal itself.
    private static func areEqual(_ one: Filter, _ other: Filter) -> Bool {
        one == other || one.description.contains("'nan'") && one.description == other.description
    }

    private static func checkDescription(_ filter: Filter) throws {
        let description = filter.description
        do {
            let parsed = try Filter(description)
            if !areEqual(parsed, filter) { throw Violation(description: "is restored as \(parsed): \(description)") }
        } catch let error as CabinetError {
            throw Violation(description: "the description does not parse: \(error)")
        }
    }

    private static func checkCoding(_ filter: Filter) throws {
        do {
            let decoded = try JSONDecoder().decode(Filter.self, from: JSONEncoder().encode(filter))
            if !areEqual(decoded, filter) {
                throw Violation(description: "is restored from JSON as \(decoded): \(filter)")
            }
        } catch {
            throw Violation(description: "\(error) in coding: \(filter)")
        }
    }

    private static func checkEvaluation(_ filter: Filter) throws {
        do {
            try filter.validate(fields: fields)
        } catch {
            guard (error as? CabinetError)?.code == .invalidArguments else {
                throw Violation(description: "\(error) in validation: \(filter)")
            }
            return
        }
        guard var compiled = try? CompiledFilter(filter, fields: fields) else {
            throw Violation(description: "is valid, and does not compile: \(filter)")
        }
        let simplified = filter.simplified()
        guard areEqual(simplified.simplified(), simplified) else {
            throw Violation(description: "becomes simpler twice: \(filter)")
        }
        // A negation may be too deep.
        var others = [(simplified, true), (.not(filter), false)].compactMap { other, agrees in
            (try? CompiledFilter(other, fields: fields)).map { ($0, agrees) }
        }
        for record in records {
            // Some comparisons fail because no value of the right type exists. All others hold, or their negation does.
            guard let matches = try? compiled.matches(record, resolving: .init(record(at:))) else { continue }
            for index in others.indices {
                let agrees = try others[index].0.matches(record, resolving: .init(record(at:))) == matches
                if agrees != others[index].1 {
                    throw Violation(description: "matches \(matches) \(agrees ? "and" : "but not") \(index): \(filter)")
                }
            }
        }
    }

    // MARK: Arguments and records

    private static let date = Date(timeIntervalSinceReferenceDate: 0.5)
    private static let place = Location(latitude: 52.5, longitude: 13.4)
    private static let full = RecordID(recordName: "full")

    /// The first one for the selector `0` is at 0: (6 + 26) % 16.
    private static let arguments: [(any FilterArgument)?] = [
        "milk", 5, "name", 2.5, ["a", "b"], nil, date, Reference(recordID: full, action: .none), place,
        "list.tags.@count",
        Data([1, 2]), [1, 2], true, Int64.min, [full], -0.0,
    ]

    private static let values: KeyValuePairs<String, FieldValue> = [
        "name": .string("Milk é"), "number": .int64(.max), "price": .double(2.5), "at": .timestamp(date),
        "data": .bytes(Data([1])), "list": .reference(Reference(recordID: full, action: .none)),
        "place": .location(place),
        "tags": .list(.string(["cold", "new"])), "numbers": .list(.int64([3, -1, .max])),
        "prices": .list(.double([0.1, 2])),
        "friends": .list(
            .reference([full, RecordID(recordName: "gone")].map { Reference(recordID: $0, action: .none) })),
        "a": .int64(1), "b": .int64(0), "c": .string("1"),
    ]

    private static let fields: FieldTypes = {
        let types = Dictionary(values.map { ($0, $1.fieldType) }, uniquingKeysWith: { first, _ in first })
        return FieldTypes(of: "Items", in: StoredSchema(recordTypes: ["Items": types]))
    }()

    private static let records: [StoredRecord] = {
        var fields = FieldValues.empty
        for (name, value) in values { fields[name] = value }
        return [(full, fields), (RecordID(recordName: "empty"), .empty)].map { recordID, fields in
            StoredRecord(
                recordID: recordID, recordType: "Items", sequenceNumber: 1, creationDate: date, creatorName: "_user",
                modificationDate: date, lastModifierName: "_user", parentName: "empty", fields: fields)
        }
    }()

    private static func record(at recordID: RecordID) -> StoredRecord? {
        records.first { $0.recordID == recordID }
    }
}
