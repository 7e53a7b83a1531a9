import Cabinet
import CabinetTools
import Foundation

/// One field of a record type, as a person types it: a name, and a type with indexes in the schema language.
struct FieldDefinition {
    /// A schema of the record type with this field alone.
    let schema: Schema

    /// Reads a field.
    ///
    /// - Parameters:
    ///   - field: The name, which may be in double quotes.
    ///   - definition: The type and indexes, such as `STRING QUERYABLE`.
    ///   - recordType: The record type.
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the texts are not those of one field.
    init(_ field: String, _ definition: String, of recordType: Record.RecordType) throws(CabinetError) {
        let name = field.trimmingCharacters(in: CharacterSet(charactersIn: "\"").union(.whitespaces))
        let document: SchemaDocument
        do {
            // Quoted names may be reserved words. A comment ends with its line.
            document = try SchemaDocument(
                parsing: "DEFINE SCHEMA RECORD TYPE \"\(recordType)\" (\"\(name)\" \(definition)\n);")
        } catch {
            // The person has not seen the text that the position is in.
            throw CabinetError(.invalidArguments, String(error.message.trimmingPrefix(#/\d+:\d+: /#)), fieldKey: name)
        }
        let type = document.recordTypes.first
        guard document.recordTypes.count == 1, document.roles.isEmpty, let type, type.fields.map(\.name) == [name],
            type.grants.isEmpty, type.indexes.isEmpty, type.uniqueKeys.isSubset(of: [[name]])
        else {
            throw CabinetError(
                .invalidArguments,
                "Type one field, such as STRING QUERYABLE. The page 'Schema' changes several fields and types at once.",
                fieldKey: name)
        }
        schema = document.schema
    }
}
