import Cabinet
import CabinetTools
import Foundation
import TerminalProgram

extension Command {
    static let resetSchema = Command(
        words: ["schema", "reset"], parameters: ["[FILE]"],
        options: [CLIOption.from, CLIOption.replace, CLIOption.ignoreUnenforced],
        summary: "Begin again with production's schema, and without records",
        details: """
            The new store has the schema of a file, or those of both databases of --from STORE. Stop the programs that use the old store;
            those that go on get errors. With --replace, the old folder is kept beside the new one, and its name is printed. Tokens and
            tags of the old store expire. A store on a PostgreSQL server is refused: there, another --schema NAME is a new store, which
            schema deploy gives its record types.
            """,
        examples: [
            "cabinet schema reset --from ~/production --store ~/development --replace",
            "cabinet schema reset schema.ckdb --store ~/development --replace",
        ]
    ) { invocation in
        let folder = try invocation.folder(
            orElse: "There, another schema is a new store: cabinet schema deploy FILE --schema NAME", mustExist: false)
        let schemas = try await invocation.newSchemas()
        try await invocation.replace(folder) { new in
            // A store without record types has no file, either.
            try FileManager.default.createDirectory(
                at: new, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            try await invocation.withContainer(writes: true, at: new.path) { container in
                for (scope, schema) in schemas { try await container.database(with: scope).apply(schema) }
            }
        }
        invocation.console.write("\(folder.path) has the new schema, and no records.")
    }
}

extension Invocation {
    /// The schemas of the file or store that the arguments name, by the databases that get them.
    fileprivate func newSchemas() async throws -> [(DatabaseScope, Schema)] {
        guard let store = try sourceStore() else {
            let schema = try await newSchema()
            return [(.private, schema), (.public, schema)]
        }
        var schemas: [(DatabaseScope, Schema)] = []
        try await withContainer(at: store) { container in
            for scope in [DatabaseScope.private, .public] {
                let schema = try await container.database(with: scope).schema()
                if !schema.recordTypes.isEmpty { schemas.append((scope, schema)) }
            }
        }
        return schemas
    }
}
