import Cabinet
import CabinetTools
import Foundation
import TerminalProgram

extension Command {
    static let get = Command(
        words: ["get"], parameters: ["NAME…"], summary: "Print records by their names, as JSON",
        examples: ["cabinet get 0198c1f0-0000-7000-8000-000000000000", "cabinet get milk bread --zone Shopping"]
    ) { invocation in
        let ids = invocation.arguments.parameters.map(invocation.recordID)
        try await invocation.withDatabase { database in
            let results = try await database.records(for: ids)
            for id in ids {
                guard let record = try results[id]?.get() else { continue }
                invocation.console.write(RecordJSON.object(record).description)
            }
        }
    }

    static let save = Command(
        words: ["save"], parameters: ["[NAME]", "[FIELD=VALUE…]"], options: [CLIOption.type, CLIOption.create],
        summary: "Create or change a record, from arguments or from JSON in the input",
        details: """
            With arguments, VALUE has the type of its field: 2026-11-25 or tomorrow for a date, the name of a record for a reference, a,b for a
            list. A new field has the type of VALUE as JSON, or else is text. An empty VALUE removes the field. Without arguments, each line
            of the input is a record as query --format json prints it. A change tag in it must be the record's own, otherwise the save is a
            conflict; if the record was deleted since, it is not created again, unless --create is given.
            """,
        examples: [
            "cabinet save penny --type Coin name=Penny year=1967",
            "cabinet save milk due=tomorrow list=groceries",
            "echo '{\"recordName\":\"penny\",\"recordType\":\"Coin\",\"fields\":{\"year\":1968}}' | cabinet save",
        ]
    ) { invocation in
        try await invocation.withDatabase(writes: true) { database in
            if !invocation.arguments.parameters.isEmpty {
                let object = try invocation.object()
                return try await invocation.save(object, isTyped: true, in: database)
            }
            var number = 1
            do {
                while let line = try await invocation.console.nextLine() {
                    if !line.allSatisfy(\.isWhitespace) {
                        try await invocation.save(try JSONValue(record: line), in: database)
                    }
                    number += 1
                }
            } catch {
                let error = CommandError(describing: error)
                throw CommandError(
                    error.exitCode, "Line \(number), after which nothing was saved: \(error.description)")
            }
        }
    }

    static let edit = Command(
        words: ["edit"], parameters: ["NAME"], summary: "Change a record's fields in your editor",
        details:
            "The editor is $VISUAL, $EDITOR or vi. If another client changes the record while you edit, nothing is saved.",
        examples: ["EDITOR=nano cabinet edit penny"]
    ) { invocation in
        let id = invocation.recordID(try invocation.parameter(0))
        try await invocation.withDatabase(writes: true) { database in
            var record = try await database.record(for: id)
            let text = RecordJSON.object(record, hasSystemFields: false)["fields"]?.lines ?? ""
            let edited = try Editor.edit(text)
            if edited.hasSameScalars(as: text) { return invocation.console.write("Nothing was changed.") }
            let fields = try JSONValue(record: edited)
            try RecordJSON.fill(
                &record, from: ["fields": fields], files: .any(relativeTo: .currentDirectory()), replacing: true,
                type: try await invocation.knownSchema(of: database)[record.recordType])
            record = try await database.save(record)
            invocation.console.write(RecordJSON.object(record).description)
        }
    }

    static let delete = Command(
        words: ["delete"], parameters: ["NAME…"], summary: "Delete records, and those that their delete rules include",
        details: """
            On a terminal, the command asks first, with the number of the records that the delete rules include. Without --zone, NAME is that
            of a record in the default zone, while query finds records of all zones.
            """,
        examples: [
            "cabinet delete penny",
            "cabinet query Coin 'year < 1900' --zone _defaultZone --format csv "
                + "| tail -n +2 | cut -d, -f1 | xargs cabinet delete",
        ]
    ) { invocation in
        let ids = invocation.arguments.parameters.map(invocation.recordID)
        try await invocation.withDatabase(writes: true) { database in
            let results = try await database.records(for: ids, desiredKeys: [])
            for id in ids { _ = try results[id]?.get() }
            let cascade =
                try invocation.isCloudKit ? (records: [:], isComplete: true) : await database.cascade(of: ids)
            let counts = Dictionary(grouping: cascade.records.values, by: \.self).mapValues(\.count)
            var others = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key.printable)" }
            if !cascade.isComplete { others.append("possibly records that the user may not read") }
            let list = others.joined(separator: ", ")
            let number = ids.count.counted("record")
            if invocation.console.isInteractive {
                let question = "Delete \(number)\(others.isEmpty ? "" : ", and by their delete rules \(list)")?"
                guard try await invocation.console.confirm(question) else {
                    return invocation.console.write("Nothing was deleted.")
                }
            }
            try await database.delete(ids)
            let also = others.isEmpty ? "" : " The delete rules included \(list)."
            invocation.console.write("\(number) \(ids.count == 1 ? "is" : "are") deleted.\(also)")
        }
    }
}

extension Invocation {
    fileprivate func recordID(_ name: String) -> RecordID {
        RecordID(recordName: name, zoneID: zoneID ?? .default)
    }

    /// The record that arguments such as `penny name=Penny` describe.
    fileprivate func object() throws(CommandError) -> JSONValue {
        var words = arguments.parameters[...]
        var members: [JSONValue.Member] = []
        if let name = words.first, !name.utf8.contains(UInt8(ascii: "=")) {
            members.append(JSONValue.Member(key: "recordName", value: .string(name)))
            words = words.dropFirst()
        }
        if let type = option(CLIOption.type) {
            members.append(JSONValue.Member(key: "recordType", value: .string(type)))
        }
        var fields: [JSONValue.Member] = []
        for word in words {
            // By scalars: a value may begin with a combining mark.
            let parts = word.unicodeScalars.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { String($0) }
            guard parts.count == 2, !parts[0].isEmpty else {
                throw .usage("'\(word.printable)' is not FIELD=VALUE.")
            }
            if fields.contains(where: { $0.key == parts[0] }) {
                throw .usage("The field '\(parts[0].printable)' is given twice.")
            }
            fields.append(JSONValue.Member(key: parts[0], value: .string(parts[1])))
        }
        members.append(JSONValue.Member(key: "fields", value: .object(fields)))
        return .object(members)
    }

    /// Saves the record of an object, and prints it.
    ///
    /// - Parameter isTyped: Whether the values are text as it was typed, whose meaning depends on the types of the fields.
    fileprivate func save(_ object: JSONValue, isTyped: Bool = false, in database: Database) async throws {
        try RecordJSON.checkMembers(of: object)
        let zone = object["zone"]?.string.map { RecordZone.ID(zoneName: $0) } ?? zoneID ?? .default
        let id = object["recordName"]?.string.map { RecordID(recordName: $0, zoneID: zone) } ?? RecordID(zoneID: zone)
        let existing = try await database.existingRecord(id)
        var record: Record
        if let existing {
            record = existing
            if hasFlag(CLIOption.create) {
                throw CommandError(.conflict, "The record \(id) exists already. Leave out --create to change it.")
            }
            if let tag = object["changeTag"]?.string, tag != record.recordChangeTag {
                throw CommandError(
                    .conflict,
                    "Another client has changed the record \(id). Fetch it again: cabinet get \(id.recordName)")
            }
            if let type = object["recordType"]?.string, type != record.recordType {
                throw CommandError.usage(
                    "The record \(id) is of type \(record.recordType), and cannot become \(type.printable).")
            }
        } else if object["changeTag"]?.string != nil, !hasFlag(CLIOption.create) {
            guard object["recordName"] != nil else {
                throw CommandError.usage("A record with a change tag needs its name: \"recordName\"")
            }
            throw CommandError(
                .notFound,
                "The record \(id), which the change tag is of, does not exist here. If it was deleted, or is one of another store, add "
                    + "--create to save it.")
        } else if let type = object["recordType"]?.string {
            record = Record(recordType: type, recordID: id)
        } else {
            let subject =
                object["recordName"] == nil ? "The record has no name and no type." : "There is no record \(id)."
            throw CommandError.usage(
                "\(subject) To create it, give its type: \(isTyped ? "--type TYPE" : "\"recordType\"")")
        }
        let type = try await knownSchema(of: database)[record.recordType]
        try RecordJSON.fill(
            &record, from: isTyped ? object.reading(fieldsOf: type) : object,
            files: .any(relativeTo: .currentDirectory()),
            type: type)
        console.write(RecordJSON.object(try await database.save(record)).description)
    }
}

extension Database {
    /// Fetches a record; `nil` if it does not exist.
    fileprivate func existingRecord(_ id: RecordID) async throws -> Record? {
        do {
            return try await record(for: id)
        } catch CabinetError.Code.unknownItem {
            return nil
        }
    }
}

extension JSONValue {
    /// Returns the object of a record with its typed values read by the types of their fields.
    fileprivate func reading(fieldsOf type: Schema.RecordType) throws(CabinetError) -> JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(
            try members.map { member throws(CabinetError) in
                guard member.key == "fields", case .object(let fields) = member.value else { return member }
                let values = try fields.map { field throws(CabinetError) in
                    Member(
                        key: field.key,
                        value: try JSONValue(typed: field.value.string ?? "", of: field.key, as: type[field.key]?.type))
                }
                return Member(key: member.key, value: .object(values))
            })
    }

    /// An object with a line for each member.
    fileprivate var lines: String {
        guard case .object(let members) = self, !members.isEmpty else { return "{\n}\n" }
        let lines = members.map { "  \(JSONValue.string($0.key)): \($0.value)" }
        return "{\n" + lines.joined(separator: ",\n") + "\n}\n"
    }
}
