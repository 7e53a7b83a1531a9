import Cabinet
import CabinetTools
import Foundation
import TerminalProgram

extension Command {
    static let types = Command(
        words: ["types"], summary: "List the record types with their numbers of records and fields",
        examples: ["cabinet types --store ~/shop", "cabinet types --database public --format json"]
    ) { invocation in
        try await invocation.withDatabase { database in
            let schema = try await database.schema()
            var rows: [[JSONValue]] = []
            for name in schema.shownTypes {
                // The other types are listed, although the user may not read the records of this one.
                var count = JSONValue.null
                do {
                    let query = Query(recordType: name)
                    count = .integer(Int64(try await database.count(matching: query, inZoneWith: invocation.zoneID)))
                } catch let error as CabinetError where error.code == .permissionFailure {}
                let fields = schema[name].fields.filter { SystemField(rawValue: $0.key) == nil }.count
                rows.append([.string(name), count, .integer(Int64(fields))])
            }
            try invocation.write(["type", "records", "fields"], rows)
        }
    }

    static let exportSchema = Command(
        words: ["schema", "export"], options: [CLIOption.strict, CLIOption.systemFields],
        summary: "Print the database's schema in CloudKit's schema language",
        examples: ["cabinet schema export > schema.ckdb", "cabinet schema export --strict --system-fields"]
    ) { invocation in
        try await invocation.withDatabase { database in
            var document = SchemaDocument(try await database.schema())
            if invocation.hasFlag(CLIOption.systemFields) { document = document.addingSystemFields() }
            let text = try document.text(in: invocation.hasFlag(CLIOption.strict) ? .cloudKit : .cabinet)
            invocation.console.write(String(text.dropLast()).printableLines)
        }
    }

    static let validateSchema = Command(
        words: ["schema", "validate"], parameters: ["FILE"], options: [CLIOption.strict],
        summary: "Check a schema file, without a store",
        examples: ["cabinet schema validate schema.ckdb", "cabinet schema validate --strict schema.ckdb"]
    ) { invocation in
        let document = try invocation.document()
        let fields = document.recordTypes.reduce(0) { $0 + $1.fields.count }
        let types = document.recordTypes.count.counted("record type")
        invocation.console.write("\(types), \(fields.counted("field")): valid.")
        for part in document.unenforcedParts {
            invocation.console.writeError("Not enforced by a store: \(part.printable)")
        }
    }

    static let diffSchema = Command(
        words: ["schema", "diff"], parameters: ["[FILE]"], options: [CLIOption.from],
        summary: "Show the changes that deploying a schema would make",
        details: "- marks lost data, which a deployment refuses. Equal schemas give exit code 0, different ones 5.",
        examples: ["cabinet schema diff schema.ckdb", "cabinet schema diff --from ~/development --store ~/production"]
    ) { invocation in
        let schema = try await invocation.newSchema(isDeployed: false)
        try await invocation.withDatabase { database in
            let difference = try await database.schema().difference(to: schema)
            invocation.show(difference)
            if !difference.isEmpty { throw CommandError(.different, "The schemas differ.") }
        }
    }

    static let importSchema = Command(
        words: ["schema", "import"], parameters: ["FILE"], options: [CLIOption.ignoreUnenforced],
        summary: "Add a file's record types, fields and indexes to the database",
        details: """
            Types and fields that the file lacks stay. Of each type in the file, indexes and unique keys that it lacks are dropped. In
            production, what the file would add is refused: use schema deploy.
            """,
        examples: ["cabinet schema import schema.ckdb"]
    ) { invocation in
        let schema = try await invocation.newSchema()
        try await invocation.withDatabase(writes: true) { database in
            try await database.apply(schema)
            invocation.console.write("The schema is imported.")
        }
    }

    static let deploySchema = Command(
        words: ["schema", "deploy"], parameters: ["[FILE]"],
        options: [CLIOption.from, CLIOption.dryRun, CLIOption.ignoreUnenforced],
        summary: "Make a schema the whole schema of the database, unless data would be lost",
        details: "The changes are shown, and made in one transaction. Readers do not wait.",
        examples: [
            "cabinet schema deploy schema.ckdb", "cabinet schema deploy --from ~/development --store ~/production",
            "cabinet schema deploy --dry-run schema.ckdb",
        ]
    ) { invocation in
        let schema = try await invocation.newSchema()
        try await invocation.withDatabase(writes: true) { database in
            let difference = try await database.schema().difference(to: schema)
            invocation.show(difference)
            if invocation.hasFlag(CLIOption.dryRun) || difference.isEmpty { return }
            try await database.deploy(schema)
            invocation.console.write("The schema is deployed.")
        }
    }
}

extension Invocation {
    /// The document in the file that the first parameter names, or in the input if it is `-`.
    fileprivate func document() throws -> SchemaDocument {
        let path = try parameter(0)
        let text = try Self.text(at: path)
        do {
            return try SchemaDocument(parsing: text, dialect: hasFlag(CLIOption.strict) ? .cloudKit : .cabinet)
        } catch {
            // In the form that editors understand: file:line:column: message.
            throw CommandError.usage("\(path.printable):\(error.message)")
        }
    }

    /// Returns the store that the option names; `nil` if the schema is in a file.
    func sourceStore() throws(CommandError) -> String? {
        guard let store = option(CLIOption.from) else { return nil }
        guard arguments.parameters.isEmpty else { throw .usage("Give either a file or --from STORE.") }
        return store
    }

    /// The schema of the file or store that the arguments name.
    ///
    /// - Parameter isDeployed: Whether the store must enforce all parts of a file.
    func newSchema(isDeployed: Bool = true) async throws -> Schema {
        if let store = try sourceStore() {
            var schema = Schema()
            let scope = try scope()
            try await withContainer(at: store) { schema = try await $0.database(with: scope).schema() }
            return schema
        }
        guard !arguments.parameters.isEmpty else { throw CommandError.usage("Give a file, or --from STORE.") }
        let document = try document()
        let parts = document.unenforcedParts
        if isDeployed, !parts.isEmpty, !hasFlag(CLIOption.ignoreUnenforced) {
            throw CommandError.usage(
                "The store does not enforce these parts of the schema:\n" + parts.map { "  \($0)\n" }.joined()
                    + "Remove them, or deploy without them: --ignore-unenforced")
        }
        return document.schema
    }

    fileprivate func show(_ difference: SchemaDifference) {
        for change in difference.changes {
            console.write(console.styled("\(change)".printable, change.isLoss ? .red : .green))
        }
        if difference.isEmpty { console.write("The schemas are equal.") }
    }

    /// The number of bytes of a file that an argument names, at most.
    private static let maximumFileSize = 64 << 20

    /// Reads a file that an argument names, which may be a pipe.
    static func data(at path: String) throws(CommandError) -> Data {
        try data(at: path) { try FileHandle(forReadingFrom: URL(filePath: path)) }
    }

    /// Reads a file, or the input if the path is `-`.
    static func text(at path: String) throws(CommandError) -> String {
        let data = try path == "-" ? data(at: "-") { .standardInput } : data(at: path)
        guard let text = String(validating: data, as: UTF8.self) else {
            throw .usage("The file \(path.printable) is not UTF-8.")
        }
        return text
    }

    private static func data(at path: String, _ open: () throws -> FileHandle) throws(CommandError) -> Data {
        var data = Data()
        do {
            let handle = try open()
            while let bytes = try handle.read(upToCount: 1 << 16), !bytes.isEmpty, data.count <= maximumFileSize {
                data += bytes
            }
        } catch {
            let isMissing = [.fileReadNoSuchFile, .fileNoSuchFile].contains((error as? CocoaError)?.code)
            let reason = error.systemReason.map { ": \($0)" } ?? ""
            throw CommandError(
                isMissing ? .notFound : .failure, "The file \(path.printable) cannot be read\(reason).")
        }
        guard data.count <= maximumFileSize else {
            throw .usage("The file \(path.printable) has more than \(maximumFileSize >> 20) MiB.")
        }
        return data
    }
}
