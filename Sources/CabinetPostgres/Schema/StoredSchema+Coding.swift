import Cabinet
import Foundation
import SQLSupport

/// The text of a schema in `cabinet_schema`: JSON, identical for equal schemas.
extension StoredSchema {
    private struct Coded: Codable {
        var types: [CodedType]
    }

    private struct CodedType: Codable {
        var name: String
        var fields: [CodedField]
        var indexes: [CodedIndex]?
    }

    private struct CodedField: Codable {
        var name: String
        var type: String
    }

    private struct CodedIndex: Codable {
        var kind: String
        var fields: [String]

        var order: String { ([kind] + fields).joined(separator: "\u{1}") }
    }

    /// Returns the schema as text.
    func content() throws -> String {
        let types = recordTypes.sorted { $0.key < $1.key }.map { recordType, fields in
            let coded = (indexes[recordType] ?? []).map { CodedIndex(kind: $0.kind, fields: $0.fields) }
            return CodedType(
                name: recordType,
                fields: fields.sorted { $0.key < $1.key }.map { CodedField(name: $0.key, type: $0.value.description) },
                indexes: coded.isEmpty ? nil : coded.sorted { $0.order < $1.order })
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return StoredText.encoded(String(decoding: try encoder.encode(Coded(types: types)), as: UTF8.self))
    }

    /// Creates a schema from its text; `nil` if the text is not a schema.
    init?(content: String) {
        let data = Data(StoredText.decoded(content).utf8)
        guard let coded = try? JSONDecoder().decode(Coded.self, from: data) else { return nil }
        self.init()
        for type in coded.types {
            var fields: [Record.FieldKey: FieldType] = [:]
            for field in type.fields {
                guard let known = FieldType(field.type) else { return nil }
                fields[field.name] = known
            }
            recordTypes[type.name] = fields
            for index in type.indexes ?? [] {
                guard let known = StoredIndex(kind: index.kind, fields: index.fields) else { return nil }
                indexes[type.name, default: []].insert(known)
            }
        }
    }
}
