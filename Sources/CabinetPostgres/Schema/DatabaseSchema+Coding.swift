import Cabinet
import Foundation
import SQLSupport

/// The text of a schema in `cabinet_schema`: JSON, identical for equal schemas.
extension DatabaseSchema {
    private struct Coded: Codable {
        var types: [CodedType]?
        /// The types of a schema in which something was renamed, under a key of their own: an older version of Cabinet must not
        /// take the new names for those of columns.
        var renamedTypes: [CodedType]?
    }

    private struct CodedType: Codable {
        var name: String
        var registeredName: String?
        var fields: [CodedField]
        var indexes: [CodedIndex]?
    }

    private struct CodedField: Codable {
        var name: String
        var registeredName: String?
        var type: String
    }

    private struct CodedIndex: Codable {
        var kind: String
        var fields: [String]

        var order: String { ([kind] + fields).joined(separator: "\u{1}") }
    }

    /// Returns the schema as text.
    func content() throws -> String {
        let types = schema.recordTypes.sorted { $0.key < $1.key }.map { recordType, fields in
            let indexes = (schema.indexes[recordType] ?? []).map { CodedIndex(kind: $0.kind, fields: $0.fields) }
            let names = fieldNames[recordType]
            return CodedType(
                name: recordType, registeredName: typeNames[recordType],
                fields: fields.sorted { $0.key < $1.key }.map {
                    CodedField(name: $0.key, registeredName: names?[$0.key], type: $0.value.description)
                },
                indexes: indexes.isEmpty ? nil : indexes.sorted { $0.order < $1.order })
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let coded = hasOtherNames ? Coded(renamedTypes: types) : Coded(types: types)
        return StoredText.encoded(String(decoding: try encoder.encode(coded), as: UTF8.self))
    }

    /// Creates a schema from its text; `nil` if the text is not a schema.
    init?(content: String) {
        let data = Data(StoredText.decoded(content).utf8)
        guard let coded = try? JSONDecoder().decode(Coded.self, from: data),
            let types = coded.types ?? coded.renamedTypes
        else { return nil }
        self.init()
        for type in types {
            var fields: [StoredField] = []
            for field in type.fields {
                guard let known = FieldType(field.type) else { return nil }
                fields.append(StoredField(name: field.name, type: known))
            }
            add(fields, to: type.name)
            setRegisteredName(type.registeredName ?? type.name, of: SchemaPart(type.name))
            for field in type.fields {
                setRegisteredName(field.registeredName ?? field.name, of: SchemaPart(type.name, field.name))
            }
            var indexes: Set<StoredIndex> = []
            for index in type.indexes ?? [] {
                guard let known = StoredIndex(kind: index.kind, fields: index.fields) else { return nil }
                indexes.insert(known)
            }
            setIndexes(indexes, of: type.name)
        }
    }
}
