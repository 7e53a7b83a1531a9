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
        try await invocation.withGrowingDatabase { database in
            guard try await database.rename(part, to: name) else {
                throw CommandError(.notFound, part.absence(in: try await database.schema()))
            }
            let newPart = part.renamed(name)
            invocation.console.write("\(part.description.printable) is now \(newPart.description.printable).")
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
    fileprivate func withGrowingDatabase(_ work: (Database) async throws -> Void) async throws {
        let scope = try scope()
        try await withBackend { container, _ in try await work(container.database(with: scope)) }
    }
}

extension SchemaPart {
    /// The sentence that a schema lacks the type or field, with the names that it has.
    fileprivate func absence(in schema: Schema) -> String {
        func list(_ names: some Sequence<String>) -> String { names.sorted().joined(separator: ", ").printable }
        guard let fieldKey, let type = schema.recordTypes[recordType] else {
            let names = list(schema.recordTypes.keys.filter { $0 != "Users" })
            return "There is no record type '\(recordType.printable)'. "
                + (names.isEmpty ? "The database has none." : "The database has \(names).")
        }
        let names = list(type.fields.keys.filter { SystemField(rawValue: $0) == nil })
        return "There is no field '\(fieldKey.printable)' of \(recordType.printable), which has "
            + (names.isEmpty ? "no fields." : "\(names).")
    }
}
