import Cabinet
import Foundation
import Testing

@Suite("Field types")
struct FieldTypeTests {
    private static let all = FieldType.Scalar.allCases.flatMap { [FieldType($0), .list(of: $0)] }

    @Test("A type is written as in the schema language, and read back", arguments: all)
    func roundTrip(_ type: FieldType) throws {
        #expect(FieldType(type.description) == type)
        let coded = try JSONDecoder().decode(FieldType.self, from: JSONEncoder().encode(type))
        #expect(coded == type)
    }

    @Test("Types are spelled as CloudKit spells them")
    func spelling() {
        #expect(
            FieldType.Scalar.allCases.map(\.rawValue)
                == ["STRING", "INT64", "DOUBLE", "TIMESTAMP", "BYTES", "REFERENCE", "LOCATION", "ASSET"])
        #expect(FieldType.list(of: .int64).description == "LIST<INT64>")
    }

    @Test("Encrypted types are stored as bytes, and have the name of the type that they hide")
    func encrypted() throws {
        let names = ["STRING", "INT64", "DOUBLE", "TIMESTAMP", "BYTES", "LOCATION"]
        for scalar in FieldType.Scalar.allCases {
            for type in [FieldType(scalar), .list(of: scalar)] {
                guard let encrypted = type.encrypted else {
                    #expect(!names.contains(scalar.rawValue))
                    continue
                }
                #expect(encrypted.decrypted == type)
                #expect(encrypted.isEncrypted && !type.isEncrypted && encrypted != type)
                #expect((encrypted.scalar, encrypted.isList) == (.bytes, false))
                #expect(encrypted.encrypted == nil && type.decrypted == nil)
                #expect(FieldType(encrypted.description) == encrypted)
                let coded = try JSONDecoder().decode(FieldType.self, from: JSONEncoder().encode(encrypted))
                #expect(coded == encrypted)
            }
        }
        #expect(FieldType.encryptedString.description == "ENCRYPTED STRING")
        #expect(FieldType.list(of: .int64).encrypted?.description == "LIST<ENCRYPTED INT64>")
        let old = try JSONDecoder().decode(FieldType.self, from: Data(#"{"scalar":"STRING","isList":true}"#.utf8))
        #expect(old == .list(of: .string))
    }

    @Test(
        "Other text is not a type",
        arguments: [
            "", "string", "NUMBER", "LIST", "LIST<>", "LIST<STRING", "STRING>", "LIST<LIST<STRING>>", "LIST<string>",
            " STRING", "ENCRYPTED", "ENCRYPTED ASSET", "ENCRYPTED REFERENCE", "ENCRYPTED ENCRYPTED STRING",
            "ENCRYPTED LIST<STRING>",
            "LIST<ENCRYPTED ASSET>",
            "LIST<", "LIST< STRING>", "LIST<STRING>>",
        ])
    func garbage(_ text: String) {
        #expect(FieldType(text) == nil)
    }

    @Test("A value knows the type of field that it fits")
    func typeOfValue() {
        #expect("a".fieldValue?.fieldType == .string)
        #expect(true.fieldValue?.fieldType == .int64)
        #expect([Date]().fieldValue?.fieldType == .list(of: .timestamp))
        #expect([UUID()].fieldValue?.fieldType == .list(of: .string))
        #expect([[1]].fieldValue == nil)
        #expect([[Int]]().fieldValue == nil)
    }

    @Test("A list holds values of one type, and returns them", arguments: FieldType.Scalar.allCases)
    func lists(_ type: FieldType.Scalar) {
        let values: [FieldValue] = [
            .string("a"), .int64(1), .double(1), .timestamp(.distantPast), .bytes(Data([1])),
            .reference(Reference(recordID: RecordID(recordName: "a"), action: .none)),
            .location(Location(latitude: 0, longitude: 0)), .asset(Asset(fileURL: URL(fileURLWithPath: "/a"))),
        ]
        for value in values {
            let list = FieldList([value, value], of: type)
            #expect((list != nil) == (value.fieldType.scalar == type))
            if let list {
                #expect(list.elements == [value, value])
                #expect(list.count == 2)
                #expect(list.elementType == type)
                #expect(FieldList([.list(list)], of: type) == nil)
            }
        }
        #expect(FieldList([], of: type)?.elementType == type)
    }
}
