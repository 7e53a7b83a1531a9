import Foundation
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
            let error = #expect(throws: CabinetError(.invalidArguments)) { try Schema(declarations) }
            #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
        }
    }

    @Test("Two declarations of a type that agree have the fields of both")
    func agreement() throws {
        let schema = try Schema(Named.self, Further.self)
        #expect(schema["Things"].fields.keys.sorted() == ["further", "name", "number"])
    }

    private struct Position: JSONRecordValue {
        struct Fields: JSONFields {
            let city = Field<String>("city.name", index: .queryable)
            let floor = Field<Int?>("floor", index: .sortable)
            let box = Field<Size?>("box")
            let isOpen = Field<Bool>("isOpen")
            let next = Field<Position?>("next")
        }

        enum CodingKeys: String, CodingKey {
            case city = "city.name"
            case floor, box, isOpen, next
        }

        var city: String
        var floor: Int?
        var box: Size?
        var isOpen = true
        var next: [Position]?
    }

    private struct Visits: RecordFields {
        static let recordType = "Visits"
        let position = Field<Position?>("position")
        let date = Field<Date?>("date")
        var indexes: [[any FieldDeclaration]] { [[position.json.box.json.width, date], [position.json.isOpen]] }
    }

    private struct Pages: RecordFields {
        struct Content: JSONRecordValue {
            struct Fields: JSONFields { let text = Field<String>("text", index: .searchable) }
            var text: String
        }

        static let recordType = "Pages"
        let content = Field<Content?>("content")
    }

    @Test("Members of JSON have indexes, by their own declarations and by those of the record type")
    func indexesOfJSON() async throws {
        let schema = try Schema(Visits.self)
        #expect(
            schema["Visits"].indexes == [
                ["position.@string.city~1name"], ["position.@int64.floor"],
                ["position.@string.box.@int64.width", "date"],
                ["position.@int64.isOpen"],
            ])
        #expect(Set(schema["Visits"].fields.keys) == ["position", "date"])
        let container = try Container(identifier: "a.b", backend: MemoryBackend(), schema: .strict(schema))
        let visits = container.privateDatabase.table(Visits.self)
        let rome = try await visits.save { $0.position = Position(city: "Rome", floor: 2) }
        try await visits.save { $0.position = Position(city: "Oslo", floor: 7) }
        #expect(try await visits.all(where: { $0.position.json.city == "Rome" }).map(\.id) == [rome.id])
        #expect(try await visits.all(by: \.position.json.floor.descending).map(\.position?.city) == ["Oslo", "Rome"])
        #expect(try await container.privateDatabase.schema() == schema)
        let error = #expect(throws: CabinetError(.invalidArguments)) { try Schema(Pages.self) }
        #expect(error?.message.contains("'content.@string.text', which cannot be SEARCHABLE") == true)
    }
}
