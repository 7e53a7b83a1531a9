import Cabinet

extension Mutant {
    /// Backends that write something else than they are told.
    static let writing: [Mutant] = [
        Mutant(
            "forgets new records",
            caughtBy: [
                "a stored record comes back whole", "the answer to a save is what a fetch returns",
                "a query sees every save that was completed", "two devices cannot both save the same version",
                "a record without a field comes back", "a batch saves and deletes at once",
            ]
        ) { $0.inserted = { _ in [] } },
        Mutant("forgets the last record of a batch", caughtBy: ["a batch of a thousand records is one batch"]) {
            $0.inserted = { records in records.count > 1 ? Array(records.dropLast()) : records }
        },
        Mutant(
            "forgets changes",
            caughtBy: [
                "an update changes what it is told to", "every save makes a new change tag",
                "changedKeys sends what was changed",
                "nullify clears the field", "the user's record can be changed",
            ]
        ) { $0.updated = { _ in [] } },
        Mutant(
            "forgets deletions",
            caughtBy: [
                "a removed record is gone", "a deletion takes its owned records with it",
                "a deleted record's ID can be used again", "a deleted record is unknown, except to allKeys",
            ]
        ) { $0.removed = { _ in [] } },
        Mutant(
            "deletes only the first record of several",
            caughtBy: [
                "a tree goes whole", "a cycle goes whole", "ten thousand items go with their list",
                "deny is lifted when the referrer goes in the same batch",
            ]
        ) { $0.removed = { Array($0.prefix(1)) } },
        Mutant(
            "keeps a field that was removed",
            caughtBy: [
                "saving nil clears the field under every policy", "an update replaces the record whole",
                "nil equals nil alone",
            ]
        ) { $0.updatesMerge = true },
        Mutant("loses a field of wide records", caughtBy: ["a record with many fields comes back whole"]) {
            $0.inserted = {
                $0.map { record in
                    var record = record
                    if record.fields.names.count > 100 { record.fields[record.fields.names.names[100]] = nil }
                    return record
                }
            }
        },
        Mutant(
            "keeps the parent of a record that loses it",
            caughtBy: ["another user's reference or child does not forbid a deletion"]
        ) {
            $0.updated = {
                $0.map { record in
                    var record = record
                    if record.parentName == nil, record.recordID.recordName.hasSuffix("child") {
                        record.parentName = "gone"
                    }
                    return record
                }
            }
        },
        Mutant("loses the parent on an update", caughtBy: ["a parent comes back, and can be changed and removed"]) {
            $0.updated = {
                $0.map { record in
                    var record = record
                    record.parentName = nil
                    return record
                }
            }
        },
        Mutant(
            "does not write the user who changed a record",
            caughtBy: [
                "a stored record comes back whole", "whoever deletes a record deletes what it owns",
            ]
        ) {
            $0.updated = {
                $0.map { record in
                    var record = record
                    record.lastModifierName = record.creatorName
                    return record
                }
            }
        },
        Mutant("gives a new creation date on an update", caughtBy: ["dates are the server's"]) {
            $0.updated = {
                $0.map { record in
                    var record = record
                    record.creationDate = record.modificationDate
                    return record
                }
            }
        },
        Mutant(
            "repeats sequence numbers",
            caughtBy: [
                "sequence numbers rise", "every save makes a new change tag", "numbers rise in the order of commits",
                "no smaller number comes later",
            ]
        ) { $0.sequenceNumber = { _ in 1 } },
        Mutant("reserves one number, however many are asked for", caughtBy: ["sequence numbers rise"]) {
            $0.reserved = { _ in 1 }
        },
        Mutant(
            "makes every new field text",
            caughtBy: [
                "the schema is what was added", "a field outlives its records", "an integer widens into a DOUBLE field",
                "a strict container creates what its schema declares",
                "a strict container refuses unknown types and fields",
                "strict containers that begin at once agree", "a schema declares the fields of Users records",
            ]
        ) { $0.added = { $0.map { StoredField(name: $0.name, type: .string) } } },
        Mutant(
            "forgets that a field holds lists",
            caughtBy: [
                "the schema is what was added", "lists keep order and repetitions",
            ]
        ) {
            $0.added = { $0.map { StoredField(name: $0.name, type: FieldType($0.type.scalar)) } }
        },
        Mutant("drops fields from the schema that look alike", caughtBy: ["names that differ by case are different"]) {
            $0.schema = { schema in
                var schema = schema
                for (type, fields) in schema.recordTypes {
                    var seen: Set<String> = []
                    schema.recordTypes[type] = fields.filter { seen.insert($0.key.lowercased()).inserted }
                }
                return schema
            }
            $0.inserted = {
                $0.map { record in
                    var seen: Set<String> = []
                    var record = record
                    for key in record.fields.keys where !seen.insert(key.lowercased()).inserted {
                        record.fields[key] = nil
                    }
                    return record
                }
            }
        },
    ]
}
