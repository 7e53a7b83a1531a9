import Cabinet
import Foundation

/// How a schema stands in `cabinet_schema`: as JSON, the same for equal schemas.
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

    /// The schema as text.
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

    /// The schema that a text stands for; `nil` if it is none.
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

extension StoredIndex {
    private static let compoundKind = "INDEX"

    /// The kind of the index, as the schema language calls it.
    var kind: String {
        switch self {
        case .queryable: "QUERYABLE"
        case .sortable: "SORTABLE"
        case .searchable: "SEARCHABLE"
        case .compound: Self.compoundKind
        }
    }

    /// The names of the fields, in their order.
    var fields: [Record.FieldKey] {
        switch self {
        case .queryable(let key), .sortable(let key), .searchable(let key): [key]
        case .compound(let keys): keys
        }
    }

    /// - Returns: `nil` if there is no such kind, or if the fields are not those of an index.
    init?(kind: String, fields: [Record.FieldKey]) {
        switch (kind, fields.count) {
        case (Self.compoundKind, _): self = .compound(fields)
        case ("QUERYABLE", 1): self = .queryable(fields[0])
        case ("SORTABLE", 1): self = .sortable(fields[0])
        case ("SEARCHABLE", 1): self = .searchable(fields[0])
        default: return nil
        }
    }
}
