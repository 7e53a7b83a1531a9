import Cabinet

extension Mutant {
    /// Backends that write other content than requested.
    static let writing: [Mutant] = [
        Mutant(
            "forgets new records",
            caughtBy: [
                "a stored record is read whole", "a save returns the record that a fetch returns",
                "a query sees every save that was completed", "two devices cannot both save the same version",
                "a record without fields is stored", "a batch saves and deletes at once",
                "a sync engine sends again what has failed for a while",
            ]
        ) { $0.ignoreMutations { if case .insert = $0 { true } else { false } } },
        Mutant(
            "forgets the last record of a batch",
            caughtBy: [
                "a batch of a thousand records is one batch",
                "a sync engine sends more records than a request may have",
            ]
        ) {
            $0.applied = { mutations in
                let inserted = mutations.indices.filter { if case .insert = mutations[$0] { true } else { false } }
                guard inserted.count > 1, let last = inserted.last else { return mutations }
                return Array(mutations[..<last] + mutations[(last + 1)...])
            }
        },
        Mutant(
            "forgets changes",
            caughtBy: [
                "an update applies the given change", "every save makes a new change tag",
                "changedKeys sends the changed fields",
                "nullify clears the field", "the user record can be changed",
                "a save that denies a deletion of the same batch stands",
                "an updated record is not found by its old values", "a sync engine's conflict has the server's record",
            ]
        ) { $0.ignoreMutations { if case .update = $0 { true } else { false } } },
        Mutant(
            "forgets deletions",
            caughtBy: [
                "a removed record cannot be found", "a deletion also deletes owned records",
                "a deleted record's ID can be used again", "a deleted record is unknown, except to allKeys",
                "a deleted record is a deletion in the changes",
            ]
        ) { $0.ignoreMutations { if case .delete = $0 { true } else { false } } },
        Mutant(
            "deletes only the first record of several",
            caughtBy: [
                "a tree is deleted as a whole", "a cycle is deleted as a whole",
                "ten thousand items are deleted with their list",
                "deny is lifted when the referring record is deleted in the same batch",
            ]
        ) {
            $0.applied = { mutations in
                var isFirst = true
                return mutations.filter { mutation in
                    guard case .delete = mutation else { return true }
                    defer { isFirst = false }
                    return isFirst
                }
            }
        },
        Mutant(
            "keeps a field that was removed",
            caughtBy: [
                "saving nil clears the field under every policy",
                "nil in a record that was never fetched clears the field", "an update replaces the whole record",
                "nil equals nil alone",
            ]
        ) {
            $0.mapUpdated { record, old in
                old.fields.forEach { key, value in
                    if record.fields[key] == nil { record.fields[key] = value }
                }
            }
        },
        Mutant("loses what the core derives from new records", caughtBy: ["an index of JSON follows the records"]) {
            $0.mapInserted { record in
                for key in record.fields.keys where key.hasPrefix("_") { record.fields[key] = nil }
            }
        },
        Mutant(
            "keeps what the core derived from replaced records",
            caughtBy: ["an index of JSON changes no answer", "an index of JSON follows the records"]
        ) {
            $0.mapUpdated { record, old in
                for key in record.fields.names.names where key.hasPrefix("_") { record.fields[key] = old.fields[key] }
            }
        },
        Mutant("loses a field of wide records", caughtBy: ["a record with many fields is stored whole"]) {
            $0.mapInserted { record in
                if record.fields.names.count > 100 { record.fields[record.fields.names.names[100]] = nil }
            }
        },
        Mutant(
            "keeps the parent of a record that loses it",
            caughtBy: ["another user's reference or child does not prevent a deletion"]
        ) {
            $0.mapUpdated { record, _ in
                if record.parentName == nil, record.recordID.recordName.hasSuffix("child") {
                    record.parentName = "gone"
                }
            }
        },
        Mutant("loses the parent on an update", caughtBy: ["a parent can be set, changed and removed"]) {
            $0.mapUpdated { record, _ in record.parentName = nil }
        },
        Mutant(
            "does not write the user who changed a record",
            caughtBy: [
                "a stored record is read whole", "deleting a record deletes the records that it owns",
            ]
        ) {
            $0.mapUpdated { record, _ in record.lastModifierName = record.creatorName }
        },
        Mutant(
            "keeps the mark of a partial fetch", caughtBy: ["a record that was fetched in part can be created again"]
        ) {
            $0.mapInserted { record in
                let fields = record.fields
                if fields["text"] != nil, record.recordID == RecordID(recordName: "partial") {
                    record.fields = FieldValues(names: fields.names, values: fields.values, isComplete: false)
                }
            }
        },
        Mutant("cuts the names of creators off", caughtBy: ["a stored record is read whole"]) {
            $0.mapInserted { $0.creatorName = String($0.creatorName.prefix(64)) }
        },
        Mutant("cuts the names of modifiers off", caughtBy: ["a stored record is read whole"]) {
            $0.mapInserted { $0.lastModifierName = String($0.lastModifierName.prefix(64)) }
        },
        Mutant("gives a new creation date on an update", caughtBy: ["dates are the server's"]) {
            $0.mapUpdated { record, _ in record.creationDate = record.modificationDate }
        },
        Mutant(
            "repeats sequence numbers",
            caughtBy: [
                "every save makes a new change tag", "numbers rise in the order of commits",
                "no smaller number appears later",
            ]
        ) {
            // The entries with the counters of the core and of rules.
            $0.mapEntries { ["database", "sample/number"].contains($0.key.text) ? nil : $0 }
        },
        Mutant(
            "makes every new field text",
            caughtBy: [
                "the schema consists of the added fields", "a field survives its records",
                "an integer widens into a DOUBLE field",
                "fields are added to a type that has records",
                "a strict container creates the types of its schema",
                "a strict container refuses unknown types and fields",
                "concurrently started strict containers agree", "a schema declares the fields of Users records",
            ]
        ) { $0.mapAdded { StoredField(name: $0.name, type: .string) } },
        Mutant(
            "forgets that a field holds lists",
            caughtBy: [
                "the schema consists of the added fields", "lists keep order and repetitions",
            ]
        ) {
            $0.mapAdded { StoredField(name: $0.name, type: FieldType($0.type.scalar)) }
        },
        Mutant("drops fields from the schema that look alike", caughtBy: ["names that differ by case are different"]) {
            $0.mapSchema { schema in
                for (type, fields) in schema.recordTypes {
                    var seen: Set<String> = []
                    schema.recordTypes[type] = fields.filter { seen.insert($0.key.lowercased()).inserted }
                }
            }
            $0.mapInserted { record in
                var seen: Set<String> = []
                for key in record.fields.keys where !seen.insert(key.lowercased()).inserted {
                    record.fields[key] = nil
                }
            }
        },
    ]
}
