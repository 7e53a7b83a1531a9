import Foundation
import Testing

@testable import Cabinet

@Suite("Schema: the conversion of a value to a field's type")
struct SchemaRuleTests {
    private func fit(_ value: FieldValue, into type: FieldType) throws -> FieldValue? {
        var rule = SchemaRule(schema: StoredSchema(recordTypes: ["Items": ["x": type]]))
        var fields = FieldValues(names: FieldNames(["x"]), values: [value])
        fields = try rule.fitted(fields, of: "Items") ?? fields
        return fields["x"]
    }

    @Test(
        "Numbers convert if nothing is lost but width, and so do empty lists",
        arguments: [
            (.int64(2), .double, .double(2)), (.double(2), .int64, .int64(2)), (.double(-0.0), .int64, .int64(0)),
            (.list(.int64([1, 2])), .list(of: .double), .list(.double([1, 2]))),
            (.list(.double([1, 2])), .list(of: .int64), .list(.int64([1, 2]))),
            (.list(.string([])), .list(of: .reference), .list(.reference([]))), (.string("2"), .string, .string("2")),
        ] as [(FieldValue, FieldType, FieldValue)])
    func conversions(_ value: FieldValue, _ type: FieldType, _ expected: FieldValue) throws {
        #expect(try fit(value, into: type) == expected)
    }

    @Test(
        "Everything else is refused",
        arguments: [
            (.double(2.5), .int64), (.double(.infinity), .int64), (.double(1e19), .int64),
            (.list(.double([1, 2.5])), .list(of: .int64)),
            (.string("2"), .int64), (.int64(2), .string), (.int64(2), .list(of: .int64)), (.list(.int64([2])), .int64),
            (.list(.string(["2"])), .list(of: .int64)), (.int64(0), .timestamp), (.bytes(Data()), .string),
        ] as [(FieldValue, FieldType)])
    func refusals(_ value: FieldValue, _ type: FieldType) throws {
        let error = try #require(throws: CabinetError.self) { try fit(value, into: type) }
        #expect(error.code == .invalidArguments)
        #expect(error.fieldKey == "x")
        #expect(error.message.contains(type.description))
        #expect(error.message.contains(value.fieldType.description))
    }

    @Test("A number that the field's type cannot represent is refused with the reason")
    func reason() throws {
        let error = try #require(throws: CabinetError.self) { try fit(.double(2.5), into: .int64) }
        #expect(error.message.hasSuffix("is of type DOUBLE, and INT64 cannot represent it exactly."))
    }

    @Test("A long value is cut off in the message")
    func longValues() throws {
        let text = String(repeating: "x", count: 1_000_000)
        let error = try #require(throws: CabinetError.self) { try fit(.string(text), into: .int64) }
        #expect(error.message.count < 250)
    }

    @Test("New types and fields are added once, in their order")
    func additions() throws {
        var rule = SchemaRule(schema: StoredSchema())
        var fields = FieldValues(names: FieldNames(["b", "a", "none"]), values: [.int64(1), .string("x"), nil])
        var none = FieldValues.empty
        fields = try rule.fitted(fields, of: "Items") ?? fields
        fields = try rule.fitted(fields, of: "Items") ?? fields
        none = try rule.fitted(none, of: "Lists") ?? none
        #expect(rule.additions.map(\.recordType) == ["Items", "Lists"])
        #expect(
            rule.additions.map(\.fields)
                == [[StoredField(name: "b", type: .int64), StoredField(name: "a", type: .string)], []])
    }
}
