/// The types of a record type's fields, as the schema knows them.
///
/// Filters and sort keys are checked and compiled against these types before any record is read, so they fail alike on
/// every backend, even without records.
///
/// ```swift
/// let fields: FieldTypes = ["name": .string, "number": .int64]
/// try Filter("number > 3").validate(fields: fields)
/// ```
public struct FieldTypes: Sendable, Hashable {
    /// The fields of the records themselves, by name.
    ///
    /// A field that is not among them is `nil` in every record.
    public private(set) var own: [Record.FieldKey: FieldType]

    /// The fields of all record types, to which references may lead, or `nil` if they are unknown.
    public let recordTypes: [Record.RecordType: [Record.FieldKey: FieldType]]?

    /// The text fields that a search for words reads, in the order of their names.
    public let searchable: [Record.FieldKey]

    /// The indexes of all record types, which mark the text fields that a search for words reads.
    let indexes: [Record.RecordType: Set<StoredIndex>]

    /// Creates the types of fields whose references have unknown targets.
    ///
    /// - Parameter own: The fields of the records, by name. A search for words reads all text fields.
    public init(_ own: [Record.FieldKey: FieldType]) {
        self.init(own, searchable: Self.texts(own))
    }

    init(_ own: [Record.FieldKey: FieldType], searchable: [Record.FieldKey]) {
        self.own = own
        recordTypes = nil
        indexes = [:]
        self.searchable = searchable
    }

    /// Creates the types of the fields of a record type.
    ///
    /// - Parameters:
    ///   - recordType: The record type.
    ///   - schema: The schema with the record type. A search for words reads the fields that are marked
    ///     ``StoredIndex/searchable(_:)``, or all text fields if none is marked.
    public init(of recordType: Record.RecordType, in schema: StoredSchema) {
        own = schema.recordTypes[recordType] ?? [:]
        recordTypes = schema.recordTypes
        indexes = schema.indexes
        var marked: [Record.FieldKey] = []
        for case .searchable(let key) in schema.indexes[recordType] ?? [] where own[key] == .string {
            marked.append(key)
        }
        searchable = marked.isEmpty ? Self.texts(own) : marked.sorted()
    }

    /// The type of a field of the records themselves, or of a system field, or `nil` if no field has the name.
    public subscript(key: Record.FieldKey) -> FieldType? {
        SystemField(rawValue: key)?.fieldType ?? own[key]
    }

    /// The types of the stored values: the ciphertexts of encrypted fields are bytes.
    var ofCiphertexts: FieldTypes {
        var types = self
        types.own = own.mapValues { $0.isEncrypted ? .bytes : $0 }
        return types
    }

    /// Whether records of the type can have assets.
    var hasAssets: Bool { own.values.contains { $0.scalar == .asset } }

    private static func texts(_ fields: [Record.FieldKey: FieldType]) -> [Record.FieldKey] {
        fields.filter { $0.value == .string && !FieldNames.isHidden($0.key) }.map(\.key).sorted()
    }
}

extension FieldTypes: ExpressibleByDictionaryLiteral {
    /// Creates the types of fields whose references have unknown targets.
    public init(dictionaryLiteral elements: (Record.FieldKey, FieldType)...) {
        self.init(Dictionary(elements, uniquingKeysWith: { _, last in last }))
    }
}
