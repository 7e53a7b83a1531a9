import Testing

@testable import Cabinet

@Suite("The schema of contradictory declarations is refused")
struct TypedSchemaTests {
    private struct Named: RecordFields {
        static let recordType = "Things"
        let name = Field<String>("name", index: .sortable)
        let number = Field<Int>("number", default: 1)
    }

    private struct Unindexed: RecordFields {
        static let recordType = "Things"
        let name = Field<String>("name")
    }

    private struct Further: RecordFields {
        static let recordType = "Things"
        let name = Field<String>("name", index: .sortable)
        let further = Field<Double?>("further")
    }

    private struct Twice: RecordFields {
        static let recordType = "Things"
        let first = Field<String>("name")
        let second = Field<String?>("name")
    }

    private struct WithID: RecordFields {
        static let recordType = "Things"
        let id = Field<String>("identifier")
    }

    private struct WithRecord: RecordFields {
        static let recordType = "Things"
        let record = Field<String>("disc")
    }

    @Test(
        "Two declarations of a type that differ in a field, two properties with one key, and reserved names are refused"
    )
    func refusals() throws {
        let cases: [([any RecordFields.Type], String)] = [
            (
                [Named.self, Unindexed.self],
                "Unindexed declares the field 'name' of Things as STRING, and another declaration of the type as STRING SORTABLE."
            ),
            ([Twice.self], "Twice declares 'first' and 'second' with the same key 'name'."),
            ([WithID.self], "WithID names a property 'id', which every typed record has."),
            ([WithRecord.self], "WithRecord names a property 'record', which every typed record has."),
        ]
        for (declarations, message) in cases {
            let error = #expect(throws: CabinetError.Code.invalidArguments) { try Schema(declarations) }
            #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
        }
    }

    @Test("Two declarations of a type that agree have the fields of both")
    func agreement() throws {
        let schema = try Schema(Named.self, Further.self)
        #expect(schema["Things"].fields.keys.sorted() == ["further", "name", "number"])
    }
}
