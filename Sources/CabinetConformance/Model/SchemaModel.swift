import Cabinet
import CabinetTesting

/// A database whose schema changes at random, as the laws of the mutations describe it.
struct SchemaModel {
    private var schema = StoredSchema()
    private var records: [RecordID: StoredRecord] = [:]
    private var deletions: [RecordID: StoredDeletion] = [:]

    /// The records that references point to, which are not stored.
    static let targets = ["t", "u"]

    private static let zoneIDs = [RecordZone.ID.default, RecordZone.ID(zoneName: "Notes")]
    private static let typeNames = ["Lists", "lists", "Items", "select"]
    private static let fieldNames = ["a", "A", "b", "from", "due"]
    private static let types: [FieldType] = [
        .string, .int64, .reference, .list(of: .reference), .location, .list(of: .string),
    ]

    /// Everything that a view of the database returns.
    var whole: NamedContent {
        var content = NamedContent(schema: schema)
        let all = records.values.map(StoredChange.saved) + deletions.values.map(StoredChange.deleted)
        content.changes = Dictionary(grouping: all, by: \.recordID.zoneID).mapValues { changes in
            changes.sorted { $0.sequenceNumber < $1.sequenceNumber }
        }
        for type in schema.recordTypes.keys {
            content.records[type] = Set(records.values.filter { $0.recordType == type })
        }
        let targets = Set(Self.targets.map { RecordID.named($0) })
        content.references = Set(
            records.values.flatMap(\.references).filter { $0.hasRule && targets.contains($0.target) })
        return content
    }

    /// Makes some changes, and returns the mutations.
    mutating func mutations(using random: inout SeededGenerator) -> [StorageMutation] {
        var mutations: [StorageMutation] = []
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            if Int.random(in: 0..<12, using: &random) == 0 {
                mutations += removing(using: &random)
            } else if let mutation = mutation(using: &random) {
                mutations.append(mutation)
            }
        }
        return mutations
    }

    private mutating func mutation(using random: inout SeededGenerator) -> StorageMutation? {
        guard let type = schema.recordTypes.keys.sorted().randomElement(using: &random) else {
            return adding(to: Self.typeNames[0], using: &random)
        }
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return adding(to: Self.typeNames.randomElement(using: &random) ?? type, using: &random)
        case 1: return renaming(SchemaPart(type), using: &random)
        case 2:
            return schema.recordTypes[type]?.keys.sorted().randomElement(using: &random)
                .flatMap { renaming(SchemaPart(type, $0), using: &random) }
        case 3: return indexing(type, using: &random)
        case 4: return deleting(using: &random)
        default: return saving(type, using: &random)
        }
    }

    private mutating func adding(to type: String, using random: inout SeededGenerator) -> StorageMutation? {
        let known = schema.recordTypes[type]
        let names = Self.fieldNames.filter { known?[$0] == nil }.shuffled(using: &random).prefix(2)
        let fields = names.map { StoredField(name: $0, type: Self.types.randomElement(using: &random) ?? .string) }
        if fields.isEmpty { return nil }
        for field in fields { schema.recordTypes[type, default: [:]][field.name] = field.type }
        return .addFields(fields, to: type)
    }

    private mutating func renaming(_ part: SchemaPart, using random: inout SeededGenerator) -> StorageMutation? {
        let names = part.fieldKey == nil ? Self.typeNames : Self.fieldNames
        let free = names.filter { name in
            part.fieldKey == nil ? schema.recordTypes[name] == nil : schema.recordTypes[part.recordType]?[name] == nil
        }
        guard let name = free.randomElement(using: &random) else { return nil }
        schema.rename(part, to: name)
        records = records.mapValues { $0.renaming(part, to: name) }
        deletions = deletions.mapValues { $0.renaming(part, to: name) }
        return .rename(part, to: name)
    }

    /// Empties a record type or a field, and removes it.
    private mutating func removing(using random: inout SeededGenerator) -> [StorageMutation] {
        guard let type = schema.recordTypes.keys.sorted().randomElement(using: &random) else { return [] }
        let key = schema.recordTypes[type]?.keys.sorted().randomElement(using: &random)
        let part = SchemaPart(type, Bool.random(using: &random) ? key : nil)
        var mutations: [StorageMutation] = []
        for record in records.values.filter({ $0.recordType == type }) {
            if let key = part.fieldKey {
                var cleared = record
                cleared.fields[key] = nil
                records[record.recordID] = cleared
                if cleared != record { mutations.append(.update(cleared, replacing: record)) }
            } else {
                records[record.recordID] = nil
                mutations.append(.deletion(of: record))
            }
        }
        if part.fieldKey == nil {
            deletions = [:]
            mutations += Self.zoneIDs.map { .forgetDeletions(in: $0, through: .max) }
        }
        schema.remove(part)
        return mutations + [.remove(part)]
    }

    private mutating func indexing(_ type: String, using random: inout SeededGenerator) -> StorageMutation {
        var indexes: Set<StoredIndex> = []
        for (key, fieldType) in (schema.recordTypes[type] ?? [:]).sorted(by: { $0.key < $1.key })
        where Bool.random(using: &random) {
            switch fieldType {
            case .string: indexes.formUnion([.sortable(key), .searchable(key), .compound([key, "creationDate"])])
            case .int64: indexes.insert(.sortable(key))
            default: indexes.insert(.queryable(key))
            }
        }
        schema.indexes[type] = indexes.isEmpty ? nil : indexes
        return .setIndexes(indexes, of: type)
    }

    private mutating func deleting(using random: inout SeededGenerator) -> StorageMutation? {
        let sorted = records.values.sorted { $0.recordID.recordName < $1.recordID.recordName }
        guard let record = sorted.randomElement(using: &random) else { return nil }
        let mutation = StorageMutation.deletion(of: record)
        records[record.recordID] = nil
        if case .delete(let deletion, _) = mutation { deletions[record.recordID] = deletion }
        return mutation
    }

    private mutating func saving(_ type: String, using random: inout SeededGenerator) -> StorageMutation {
        var record = StoredRecord.sample(
            "r\(Int.random(in: 0..<12, using: &random))", type: type,
            in: Self.zoneIDs[Bool.random(using: &random) ? 1 : 0])
        for (key, fieldType) in (schema.recordTypes[type] ?? [:]).sorted(by: { $0.key < $1.key })
        where Bool.random(using: &random) {
            record.fields[key] = Self.value(
                of: fieldType, Int.random(in: 0..<3, using: &random), in: record.recordID.zoneID)
        }
        let old = records[record.recordID]
        if let old, old.recordType != type {
            // The type of a record never changes.
            let mutation = StorageMutation.deletion(of: old)
            records[old.recordID] = nil
            if case .delete(let deletion, _) = mutation { deletions[old.recordID] = deletion }
            return mutation
        }
        if let old { record.insertionNumber = old.insertionNumber }
        records[record.recordID] = record
        deletions[record.recordID] = nil
        return old.map { .update(record, replacing: $0) } ?? .insert(record)
    }

    private static func value(of type: FieldType, _ number: Int, in zoneID: RecordZone.ID) -> FieldValue {
        let target = Reference(
            recordID: RecordID(recordName: targets[number % 2], zoneID: zoneID),
            action: [.none, .deny, .nullify][number])
        return switch type {
        case .int64: .int64(Int64(number))
        case .reference: .reference(target)
        case .list(of: .reference): .list(.reference([target, target]))
        case .list(of: .string): .list(.string(["\(number)"]))
        case .location: .location(Location(latitude: Double(number), longitude: 1))
        default: .string("text \(number)")
        }
    }
}
