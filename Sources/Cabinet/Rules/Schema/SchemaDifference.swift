/// The changes that turn one schema into another.
///
/// ```swift
/// let difference = try await database.schema().difference(to: schema)
/// if difference.losses.isEmpty { try await database.deploy(schema) }
/// ```
public struct SchemaDifference: Sendable, Hashable {
    /// The changes, by record type and then by field.
    public let changes: [Change]

    /// Whether the schemas are equal.
    public var isEmpty: Bool { changes.isEmpty }

    /// The changes that remove a record type or field, or change a field's type, which a deployment refuses.
    public var losses: [Change] { changes.filter(\.isLoss) }
}

extension SchemaDifference {
    /// One change of a record type or role.
    public struct Change: Sendable, Hashable {
        /// The record type, or the role.
        public let recordType: Record.RecordType

        /// The field; `nil` if the change is about the record type or a compound index.
        public let fieldKey: Record.FieldKey?

        /// The kind of change.
        public let kind: Kind
    }

    /// The kinds of changes.
    public enum Kind: Sendable, Hashable {
        /// The record type is new.
        case typeAdded
        /// The record type is missing in the new schema.
        case typeRemoved
        /// The field is new.
        case fieldAdded(Schema.Field)
        /// The field is missing in the new schema.
        case fieldRemoved(Schema.Field)
        /// The field has another type.
        case fieldTypeChanged(FieldType, to: FieldType)
        /// The field, or system field, has other options.
        case optionsChanged(Schema.Field.Options, to: Schema.Field.Options)
        /// The field has another delete rule.
        case deleteRuleChanged(Reference.Action, to: Reference.Action)
        /// The compound index is new.
        case indexAdded([Record.FieldKey])
        /// The compound index is missing in the new schema.
        case indexRemoved([Record.FieldKey])
        /// The values of the fields become unique.
        case uniqueKeyAdded([Record.FieldKey])
        /// The values of the fields need no longer be unique.
        case uniqueKeyRemoved([Record.FieldKey])
        /// A role has other permissions in the public database.
        case grantChanged(role: String, Set<Schema.Permission>, to: Set<Schema.Permission>)
        /// The role is new.
        case roleAdded
        /// The role is missing in the new schema.
        case roleRemoved
    }
}

extension SchemaDifference.Change {
    /// Whether data would be lost: a record type or field is missing in the new schema, or a field has another type.
    public var isLoss: Bool {
        switch kind {
        case .typeRemoved, .fieldRemoved, .fieldTypeChanged: true
        case .typeAdded, .fieldAdded, .optionsChanged, .deleteRuleChanged, .indexAdded, .indexRemoved, .uniqueKeyAdded,
            .uniqueKeyRemoved, .grantChanged, .roleAdded, .roleRemoved:
            false
        }
    }
}

extension Schema {
    /// Returns the changes that turn this schema into another.
    ///
    /// The record type `Users` without fields equals a missing one, because it always exists. A delete rule that one of the schemas
    /// does not state is not compared, because the schema of a database states none. A record type without grants has those of
    /// ``defaultGrants(of:)``.
    ///
    /// - Parameter other: The new schema.
    /// - Complexity: O(*n* log *n*) in the number of fields.
    public func difference(to other: Schema) -> SchemaDifference {
        let (old, new) = (comparable, other.comparable)
        let names = Set(old.keys).union(new.keys).sorted()
        func change(_ role: String, _ kind: SchemaDifference.Kind) -> SchemaDifference.Change {
            SchemaDifference.Change(recordType: role, fieldKey: nil, kind: kind)
        }
        let roles =
            self.roles.subtracting(other.roles).sorted().map { change($0, .roleRemoved) }
            + other.roles.subtracting(self.roles).sorted().map { change($0, .roleAdded) }
        return SchemaDifference(
            changes: roles
                + names.flatMap { name -> [SchemaDifference.Change] in
                    guard let newType = new[name] else {
                        return [SchemaDifference.Change(recordType: name, fieldKey: nil, kind: .typeRemoved)]
                    }
                    let added = SchemaDifference.Change(recordType: name, fieldKey: nil, kind: .typeAdded)
                    return (old[name] == nil ? [added] : [])
                        + (old[name] ?? RecordType()).changes(to: newType, of: name)
                })
    }

    private var comparable: [Record.RecordType: RecordType] {
        recordTypes.filter { $0.key != UserRecordRule.recordType || $0.value != RecordType() }
    }
}

extension Schema.RecordType {
    fileprivate func changes(to other: Self, of name: Record.RecordType) -> [SchemaDifference.Change] {
        func change(_ key: Record.FieldKey?, _ kind: SchemaDifference.Kind) -> SchemaDifference.Change {
            SchemaDifference.Change(recordType: name, fieldKey: key, kind: kind)
        }
        let fields = Set(fields.keys).union(other.fields.keys).sorted().flatMap { key -> [SchemaDifference.Change] in
            let (old, new) = (self[key], other[key])
            // A system field always exists; only its options are declared.
            guard SystemField(rawValue: key) == nil, let old, let new else {
                if SystemField(rawValue: key) != nil {
                    let options = (old?.options ?? [], new?.options ?? [])
                    return options.0 == options.1 ? [] : [change(key, .optionsChanged(options.0, to: options.1))]
                }
                return [old.map { change(key, .fieldRemoved($0)) } ?? new.map { change(key, .fieldAdded($0)) }]
                    .compactMap { $0 }
            }
            return (old.type == new.type ? [] : [change(key, .fieldTypeChanged(old.type, to: new.type))])
                + (old.options == new.options ? [] : [change(key, .optionsChanged(old.options, to: new.options))])
                + Self.ruleChanges(from: old, to: new).map { change(key, $0) }
        }
        var changes =
            fields + sortedIndexes.filter { !other.indexes.contains($0) }.map { change(nil, .indexRemoved($0)) }
            + other.sortedIndexes.filter { !indexes.contains($0) }.map { change(nil, .indexAdded($0)) }
        changes += uniqueKeys.subtracting(other.uniqueKeys).sortedByNames.map { change(nil, .uniqueKeyRemoved($0)) }
        changes += other.uniqueKeys.subtracting(uniqueKeys).sortedByNames.map { change(nil, .uniqueKeyAdded($0)) }
        let defaults = Schema.defaultGrants(of: name)
        let (old, new) = (grants.isEmpty ? defaults : grants, other.grants.isEmpty ? defaults : other.grants)
        for role in Set(old.keys).union(new.keys).sorted() where old[role] ?? [] != new[role] ?? [] {
            changes.append(change(nil, .grantChanged(role: role, old[role] ?? [], to: new[role] ?? [])))
        }
        return changes
    }

    private static func ruleChanges(from old: Schema.Field, to new: Schema.Field) -> [SchemaDifference.Kind] {
        guard let oldRule = old.deleteRule, let newRule = new.deleteRule, oldRule != newRule else { return [] }
        return [.deleteRuleChanged(oldRule, to: newRule)]
    }
}

extension SchemaDifference.Change: CustomStringConvertible {
    /// The change in the schema language, after `+`, `-` or `~`: `+ Items.number INT64`.
    public var description: String {
        let field = "\(recordType).\(fieldKey ?? "")"
        return switch kind {
        case .typeAdded: "+ RECORD TYPE \(recordType)"
        case .typeRemoved: "- RECORD TYPE \(recordType)"
        case .fieldAdded(let new): "+ \(field) \(new)"
        case .fieldRemoved(let old): "- \(field) \(old)"
        case .fieldTypeChanged(let old, let new): "~ \(field) \(old) → \(new)"
        case .optionsChanged(let old, let new):
            "~ \(field) \(old.isEmpty ? "without options" : "\(old)") → \(new.isEmpty ? "without options" : "\(new)")"
        case .deleteRuleChanged(let old, let new): "~ \(field) ON DELETE \(old.word) → ON DELETE \(new.word)"
        case .indexAdded(let keys): "+ INDEX (\(keys.joined(separator: ", "))) of \(recordType)"
        case .indexRemoved(let keys): "- INDEX (\(keys.joined(separator: ", "))) of \(recordType)"
        case .uniqueKeyAdded(let keys): "+ UNIQUE (\(keys.joined(separator: ", "))) of \(recordType)"
        case .uniqueKeyRemoved(let keys): "- UNIQUE (\(keys.joined(separator: ", "))) of \(recordType)"
        case .grantChanged(let role, let old, let new):
            "~ GRANT TO \(role) of \(recordType): \(Self.words(old)) → \(Self.words(new))"
        case .roleAdded: "+ CREATE ROLE \(recordType)"
        case .roleRemoved: "- CREATE ROLE \(recordType)"
        }
    }
}

extension SchemaDifference.Change {
    private static func words(_ permissions: Set<Schema.Permission>) -> String {
        permissions.isEmpty ? "nothing" : permissions.sorted.map(\.rawValue).joined(separator: ", ")
    }
}

extension SchemaDifference: CustomStringConvertible {
    /// The changes, one on each line.
    public var description: String { changes.map(\.description).joined(separator: "\n") }
}
