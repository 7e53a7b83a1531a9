/// The rules of a schema as entries: one with the roles, and one for each record type that has rules.
///
/// The text of a type has a line for each rule: `UNIQUE list name`, `GRANT Editor READ WRITE`, `RENAMED due dueDate` for a field,
/// and `RENAMED Tasks` alone under the former name of a type. Names have no spaces.
extension SchemaRules {
    /// The keys of all entries.
    static let allKeys = StorageKey.all("schema")

    /// The keys of all rules, and of the subscriptions of an earlier version, which come after them.
    ///
    /// Every write loads both, and most stores have none. No other entries have keys between them.
    static let keysWithEarlierSubscriptions = allKeys.lowerBound..<StoredSubscription.allEarlierKeys.upperBound

    private static let rolesKey = StorageKey("schema", "roles")

    private static func key(_ recordType: Record.RecordType) -> StorageKey { StorageKey("schema", "type", recordType) }

    /// Reads rules from their entries.
    ///
    /// - Throws: ``CabinetError/Code/internalError`` if an entry is damaged.
    package init(_ entries: some Sequence<StorageEntry>) throws(CabinetError) {
        self.init()
        for entry in entries {
            let names = entry.key.names
            if entry.key == Self.rolesKey {
                roles = Set(entry.text.split(separator: " ").map(String.init))
            } else if names.count == 3, names[1] == "type", let type = RecordType(entry.text) {
                self[names[2]] = type
            } else {
                throw .damagedEntry(entry.key, entry.text)
            }
        }
    }

    /// Separates the entries of ``keysWithEarlierSubscriptions``.
    static func separated(
        from entries: [StorageEntry]
    ) throws(CabinetError) -> (rules: SchemaRules, subscriptions: [StorageEntry]) {
        // Most databases have no rules.
        guard let first = entries.first, first.key < allKeys.upperBound else { return (SchemaRules(), entries) }
        let rules = entries.prefix { $0.key < allKeys.upperBound }
        return (try SchemaRules(rules), Array(entries.dropFirst(rules.count)))
    }

    /// The mutations that replace the entries of other rules.
    package func mutations(replacing old: SchemaRules) -> [StorageMutation] {
        var mutations: [StorageMutation] = []
        if roles != old.roles {
            mutations.append(.setEntry(Self.rolesKey, roles.isEmpty ? nil : roles.sorted().joined(separator: " ")))
        }
        for name in Set(types.keys).union(old.types.keys).sorted() where self[name] != old[name] {
            mutations.append(.setEntry(Self.key(name), types[name]?.text))
        }
        return mutations
    }
}

extension SchemaRules.RecordType {
    fileprivate init?(_ text: String) {
        self.init()
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            switch words.first {
            case "UNIQUE" where words.count > 1: uniqueKeys.insert(Array(words.dropFirst()))
            case "GRANT" where words.count > 1:
                let permissions = words.dropFirst(2).compactMap(Schema.Permission.init)
                guard permissions.count == words.count - 2 else { return nil }
                grants[words[1]] = Set(permissions)
            case "RENAMED" where words.count == 2: newName = words[1]
            case "RENAMED" where words.count == 3: renamedFields[words[1]] = words[2]
            default: return nil
            }
        }
    }

    fileprivate var text: String {
        let lines =
            uniqueKeys.sortedByNames.map { ["UNIQUE"] + $0 }
            + grants.sorted { $0.key < $1.key }.map { ["GRANT", $0.key] + $0.value.sorted.map(\.rawValue) }
            + renamedFields.sorted { $0.key < $1.key }.map { ["RENAMED", $0.key, $0.value] }
            + (newName.map { [["RENAMED", $0]] } ?? [])
        return lines.map { $0.joined(separator: " ") }.joined(separator: "\n")
    }
}

extension StorageSnapshot {
    /// The roles, grants and unique values of the database.
    package func schemaRules() async throws -> SchemaRules {
        try SchemaRules(try await load(StorageKeys(entryRanges: [SchemaRules.allKeys])).entryRanges.joined())
    }
}
