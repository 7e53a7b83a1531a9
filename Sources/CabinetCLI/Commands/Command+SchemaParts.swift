import Cabinet
import CabinetTools
import Foundation
import TerminalProgram

/// The commands that change a record type or field with the values that it has.
extension Command {
    static let renameSchemaPart = Command(
        words: ["schema", "rename"], parameters: ["TYPE[.FIELD]", "NAME"],
        summary: "Give a record type or a field another name, and keep its records or values",
        details: """
            Indexes, unique keys and subscriptions follow. It takes as long for many records as for few. Programs that search or save
            by the old name get an error with the new one. If the type or field has the new name already, nothing is changed.
            """,
        examples: ["cabinet schema rename Items.due dueDate", "cabinet schema rename Items Tasks --database public"]
    ) { invocation in
        let part = try invocation.schemaPart()
        let name = try invocation.parameter(1)
        try await invocation.withGrowingDatabase { database, _ in
            guard try await database.rename(part, to: name) else {
                throw CommandError(.notFound, part.absence(in: try await database.schema()))
            }
            let newPart = part.renamed(name)
            invocation.console.write("\(part.description.printable) is now \(newPart.description.printable).")
        }
    }

    static let dropSchemaPart = Command(
        words: ["schema", "drop"], parameters: ["TYPE[.FIELD]"], options: [CLIOption.losingAtMost],
        summary: "Remove a record type or a field that was a mistake, with its records or values",
        details: """
            On a terminal, the command asks first, with the number of the records or values that would be lost. Otherwise, and in
            production, it drops only what has none; outside of production, --losing-at-most allows more, and nothing is asked. In the store
            of a mirror, only what has none is dropped: drop the rest on the server.
            """,
        examples: [
            "cabinet schema drop Items.nmae", "cabinet schema drop Itmes --database public",
            "cabinet schema drop Items.nmae --losing-at-most 3",
        ]
    ) { invocation in
        let part = try invocation.schemaPart()
        let limit = try invocation.option(CLIOption.losingAtMost).map { text throws(CommandError) in
            guard let number = Int(text), number >= 0 else {
                throw .usage("--losing-at-most is '\(text.printable)'; expected a number.")
            }
            return number
        }
        try await invocation.withGrowingDatabase(without: part) { database, isMirror in
            let schema = try await database.schema()
            guard part.isIn(schema) else { throw CommandError(.notFound, part.absence(in: schema)) }
            let count = try await database.lossesOfDrop(part)
            let losses = count.counted(part.fieldKey == nil ? "record" : "value")
            let name = part.description.printable
            if isMirror, count > 0 {
                throw CommandError(
                    .failure,
                    "The store is a mirror, and \(name) has \(losses). Drop it on the server, once for all devices: --store https://HOST"
                )
            }
            if invocation.console.isInteractive, limit == nil {
                guard try await invocation.console.confirm("Drop \(name) with \(losses)?") else {
                    return invocation.console.write("Nothing was dropped.")
                }
            } else if count > limit ?? 0, try !invocation.isProduction() {
                throw CommandError.usage("\(name) has \(losses). To drop it with them: --losing-at-most \(count)")
            }
            try await database.drop(part, losingAtMost: count)
            invocation.console.write("\(name) is dropped, with \(losses).")
        }
    }
}

extension Invocation {
    /// The record type or field that the first parameter names.
    fileprivate func schemaPart() throws -> SchemaPart {
        let text = try parameter(0)
        if let part = SchemaPart(parsing: text) { return part }
        throw CommandError.usage(
            "'\(text.printable)' is neither a record type, such as Items, nor a field, such as Items.due.")
    }

    /// Runs a closure with the requested database, whose schema it changes in either environment.
    ///
    /// - Parameters:
    ///   - part: A part that production's schema lacks from now on.
    ///   - work: Receives the database, and whether it is that of a mirror.
    fileprivate func withGrowingDatabase(
        without part: SchemaPart? = nil, _ work: (Database, Bool) async throws -> Void
    ) async throws {
        let scope = try scope()
        let isProduction = try isProduction()
        if try isRemote { return try await withContainer { try await work($0.database(with: scope), false) } }
        try await withBackend { container, backend in
            if try await backend.isMirror(of: account) {
                let mirror = container.over(try mirrorService(in: backend))
                return try await closing(mirror) { try await work($0.database(with: scope), true) }
            }
            let database = container.database(with: scope)
            guard isProduction, let part else { return try await work(database, false) }
            var schema = try await database.schema()
            if let key = part.fieldKey {
                schema[part.recordType] = Schema.RecordType(
                    fields: schema[part.recordType].fields.filter { $0.key != key })
            } else {
                schema.recordTypes[part.recordType] = nil
            }
            let strict = try Container(
                identifier: "cabinet", backend: backend, account: account, schema: .strict(schema))
            try await work(strict.database(with: scope), false)
        }
    }
}

extension SchemaPart {
    /// Whether a schema has the type or field.
    fileprivate func isIn(_ schema: Schema) -> Bool {
        guard let type = schema.recordTypes[recordType] else { return false }
        return fieldKey.map { type[$0] != nil } ?? true
    }

    /// The sentence that a schema lacks the type or field, with the names that it has.
    fileprivate func absence(in schema: Schema) -> String {
        func list(_ names: some Sequence<String>) -> String { names.sorted().joined(separator: ", ").printable }
        guard let fieldKey, let type = schema.recordTypes[recordType] else {
            let names = list(schema.shownTypes)
            return "There is no record type '\(recordType.printable)'. "
                + (names.isEmpty ? "The database has none." : "The database has \(names).")
        }
        let names = list(type.fields.keys.filter { SystemField(rawValue: $0) == nil })
        return "There is no field '\(fieldKey.printable)' of \(recordType.printable), which has "
            + (names.isEmpty ? "no fields." : "\(names).")
    }
}
