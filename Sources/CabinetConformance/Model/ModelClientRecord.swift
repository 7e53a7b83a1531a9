import Cabinet

/// A client's copy of a record: the fetched version, and the edits since.
struct ModelClientRecord {
    /// The fetched version; `nil` for a new record.
    let base: ModelRecord?
    /// The fetched fields; `nil` for all.
    let keys: [String]?
    let type: String
    let changes: [String: ModelValue?]
    let parent: String?

    init(_ edit: ModelEdit, of base: ModelRecord?, keys: [String]?) {
        self.base = base?.read(keys)
        self.keys = keys
        version = base?.version
        type = base?.type ?? edit.type
        // Setting a field to its fetched value is not a change.
        changes = edit.changes.filter { key, value in
            // A record that was never fetched sends what it removed.
            guard let base else { return true }
            return keys?.contains(key) == false || base.fields[key] != value
        }
        parent = edit.parent ?? base?.parent
    }

    /// The version that was fetched.
    let version: Int?

    /// All fields that the client has.
    var fields: [String: ModelValue] {
        changes.reduce(into: base?.fields ?? [:]) { $0[$1.key] = $1.value }
    }

    /// The record that a save creates.
    func new(by user: String, version: Int) -> ModelRecord {
        var record = ModelRecord(type: type, creator: user, modifier: user, version: version)
        record.fields = fields
        record.parent = parent
        return record
    }

    /// The record that results from a save over the server's record.
    func merged(into server: ModelRecord, _ policy: RecordSavePolicy, by user: String, version: Int) -> ModelRecord {
        var record = server
        record.modifier = user
        record.version = version
        if policy == .allKeys { record.fields.merge(fields) { $1 } }
        for (key, value) in changes { record.fields[key] = value }
        if policy == .allKeys, let parent { record.parent = parent }
        if parent != base?.parent { record.parent = parent }
        return record
    }

    /// The record that a resolver returns for this one and the server's, or `nil` if nothing needs saving.
    func resolved(
        with server: ModelRecord, _ resolver: ModelResolver
    ) -> (fields: [String: ModelValue], parent: String?)? {
        func merge(
            _ client: ModelValue?, _ server: ModelValue?, _ ancestor: ModelValue?, _ isKnown: Bool
        ) -> ModelValue? {
            if isKnown, client == ancestor { return server }
            if server == ancestor { return client }
            return resolver == .preferServer ? server : client
        }
        if resolver == .serverWins { return nil }
        var fields = server.fields
        for (key, value) in changes {
            let isKnown = base != nil && keys?.contains(key) ?? true
            fields[key] = merge(value, server.fields[key], isKnown ? base?.fields[key] : nil, isKnown)
        }
        let parent = merge(
            parent.map(ModelValue.text), server.parent.map(ModelValue.text), base?.parent.map(ModelValue.text), true)
        var name: String?
        if case .text(let text)? = parent { name = text }
        return fields == server.fields && name == server.parent ? nil : (fields, name)
    }
}
