import Cabinet

/// The value of a field of a model's record.
enum ModelValue: Hashable, Sendable {
    case number(Int)
    case text(String)
    case link(ModelLink)
    case links([ModelLink])
    /// A value that no client has saved.
    case other(String)

    init(_ value: FieldValue) {
        switch value {
        case .int64(let number): self = Int(exactly: number).map(ModelValue.number) ?? .other("\(number)")
        case .string(let text): self = .text(text)
        case .reference(let reference): self = .link(ModelLink(reference))
        case .list(.reference(let references)): self = .links(references.map(ModelLink.init))
        default: self = .other("\(value)")
        }
    }

    /// The value as a field of a record.
    func recordValue(inZone zone: String) -> (any RecordValue)? {
        switch self {
        case .number(let number): number
        case .text(let text): text
        case .link(let link): link.reference(inZone: zone)
        case .links(let links): links.map { $0.reference(inZone: zone) }
        case .other(let text): text
        }
    }

    var links: [ModelLink] {
        switch self {
        case .link(let link): [link]
        case .links(let links): links
        case .number, .text, .other: []
        }
    }
}

/// A reference in a model: a name in the record's own zone, and a delete rule.
struct ModelLink: Hashable, Sendable {
    let name: String
    let action: Reference.Action

    init(_ name: String, _ action: Reference.Action) {
        self.name = name
        self.action = action
    }

    init(_ reference: Reference) {
        self.init(reference.recordID.recordName, reference.action)
    }

    func reference(inZone zone: String) -> Reference {
        Reference(recordID: ModelKey(zone: zone, name: name).recordID, action: action)
    }
}

/// The zone and the name of a record.
struct ModelKey: Hashable, Sendable {
    let zone: String
    let name: String

    var recordID: RecordID { RecordID(recordName: name, zoneID: RecordZone.ID(model: zone)) }
}

extension RecordZone.ID {
    static let modelDefault = RecordZone.ID.default.zoneName

    init(model name: String) {
        self = name == Self.modelDefault ? .default : RecordZone.ID(zoneName: name)
    }
}

/// A record of the model.
struct ModelRecord: Hashable, Sendable {
    var type: String
    var fields: [String: ModelValue] = [:]
    var parent: String?
    var creator: String
    var modifier: String
    /// A new one after every save; `nil` for a record that was only read.
    var version: Int?

    init(type: String, creator: String, modifier: String, version: Int) {
        self.type = type
        self.creator = creator
        self.modifier = modifier
        self.version = version
    }

    init(_ record: Record) {
        type = record.recordType
        for key in record.allKeys() { fields[key] = record[key]?.fieldValue.map { ModelValue($0) } }
        parent = record.parent?.recordID.recordName
        creator = record.creatorUserRecordID?.recordName ?? "unknown"
        modifier = record.lastModifiedUserRecordID?.recordName ?? "unknown"
    }

    /// The record as readers see it, without its versions.
    func read(_ keys: [String]? = nil) -> ModelRecord {
        var copy = self
        copy.version = nil
        if let keys { copy.fields = fields.filter { keys.contains($0.key) } }
        return copy
    }

    /// Every reference that has a rule, and the parent.
    var ties: [ModelLink] {
        let links = fields.values.flatMap(\.links).filter { $0.action != .none }
        return links + (parent.map { [ModelLink($0, .deny)] } ?? [])
    }

    func refers(to names: Set<String>, _ action: Reference.Action) -> Bool {
        ties.contains { $0.action == action && names.contains($0.name) }
    }

    /// Whether the deletion of records removes a reference or the parent of this record.
    func losesReference(to names: Set<String>) -> Bool {
        refers(to: names, .nullify) || refers(to: names, .deny)
    }

    /// Removes the references to deleted records, and the parent if it was deleted.
    ///
    /// A `deny` reference to a deleted record belongs to another user, and acts as `nullify`.
    mutating func nullify(_ names: Set<String>) {
        func goes(_ link: ModelLink) -> Bool { [.nullify, .deny].contains(link.action) && names.contains(link.name) }
        if let parent, names.contains(parent) { self.parent = nil }
        for (key, value) in fields {
            switch value {
            case .link(let link): if goes(link) { fields[key] = nil }
            case .links(let links): fields[key] = .links(links.filter { !goes($0) })
            case .number, .text, .other: break
            }
        }
    }
}

/// A difference between a store and its model.
struct ModelMismatch: Error, CustomStringConvertible {
    let message: String
    var underlyingError: (any Error)?

    var description: String { message + (underlyingError.map { " \($0)" } ?? "") }
}
