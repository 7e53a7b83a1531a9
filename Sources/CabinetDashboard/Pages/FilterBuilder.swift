import Cabinet
import CabinetServer
import CabinetTools
import Foundation

/// A form that adds a comparison to a filter: a field, an operator and a value, as a person types them.
enum FilterBuilder {
    /// The operators, with the words that people read.
    static let operators: [(text: String, title: String)] = [
        ("==", "is"), ("!=", "is not"), ("<", "<"), ("<=", "≤"), (">", ">"), (">=", "≥"), ("CONTAINS[c]", "contains"),
        ("BEGINSWITH[c]", "begins with"), ("ENDSWITH[c]", "ends with"), ("LIKE[c]", "is like"),
        ("MATCHES", "matches"), ("nil", "has no value"), ("!nil", "has a value"),
    ]

    /// Returns the address of the records with the comparison of an address; `nil` if it has none.
    static func address(_ visit: Visit, _ choice: RecordChoice, _ schema: Schema) throws -> String? {
        guard let key = visit["where"], let name = visit["is"], operators.contains(where: { $0.text == name }) else {
            return nil
        }
        let filter = try filter(key, name, visit["value"] ?? "", schema[choice.type], in: choice.zoneID ?? .default)
        return choice.link(adding: "\(filter)", keepsGroups: true)
    }

    private static func filter(
        _ key: String, _ name: String, _ text: String, _ type: Schema.RecordType, in zoneID: RecordZone.ID
    ) throws -> Filter {
        if name == "nil" { return try Filter("%K == nil", key) }
        if name == "!nil" { return try Filter("%K != nil", key) }
        let field = type.fields[key]?.type ?? SystemField(rawValue: key).map { _ in .timestamp }
        guard let field else { throw CabinetError(.invalidArguments, "The type has no field '\(key)'.", fieldKey: key) }
        guard !text.isEmpty || ["==", "!="].contains(name) else {
            throw CabinetError(.invalidArguments, "The condition on '\(key)' needs a value.", fieldKey: key)
        }
        // A list is compared by its elements.
        let scalar = FieldType(field.scalar)
        let isList = field.isList
        // A reference names a record of the same zone.
        var record = Record(recordType: "Value", recordID: RecordID(zoneID: zoneID))
        let value = try JSONValue(typed: text, of: key, as: scalar, timeZone: .gmt)
        try RecordJSON.fill(
            &record, from: ["fields": .object([JSONValue.Member(key: "value", value: value)])],
            files: RecordForm.noFiles)
        return try Filter("\(isList ? "ANY " : "")%K \(name) %@", key, record["value"])
    }

    static func html(_ choice: RecordChoice, _ schema: Schema) -> HTML {
        let fields = schema[choice.type].shownFields.filter { $0.1.type.scalar != .asset }.map(\.0)
        // Records are not grouped by lists and locations.
        let grouping = schema[choice.type].shownFields.map { ($0, $1.type) }
            .filter { !$1.isList && ![.asset, .location].contains($1.scalar) }.map(\.0)
        let ordered = schema[choice.type].shownFields.filter(\.1.type.isOrdered).map(\.0)
        let names = operators.map { text, title -> HTML in "<option value=\"\(text)\">\(title)</option>" }
        return """
            <details class="builder"><summary class="button">Add a condition or groups</summary>
            <form class="filter" method="get" action="\(choice.place.link("records"))">\(choice.hidden(with: ["filter": choice.filter, "sort": choice.sort, "columns": choice.chosenColumns]))
            <label>Field \(control("where", fields, choice))</label>
            <label>Operator <select name="is">\(names)</select></label>
            <label class="wide">Value <input name="value" spellcheck="false" autocomplete="off"></label>
            <button>Add</button></form>
            <form class="filter" method="get" action="\(choice.place.link("records"))">\(choice.hidden(with: ["filter": choice.filter], keepsGroups: false))
            <label>Groups by \(control("group", grouping, choice, choice.group, orNone: !choice.group.isEmpty))</label>
            <label>Sum, mean and limits of \(control("of", ordered, choice, choice.groupedField, orNone: true))</label>
            <button>Group</button></form></details>
            """
    }

    /// A choice of a field: a text with suggestions if the type has too many for a list.
    private static func control(
        _ name: String, _ keys: [String], _ choice: RecordChoice, _ chosen: String = "", orNone: Bool = false
    ) -> HTML {
        guard keys.count <= RecordChoice.suggestedFields else {
            return
                "<input name=\"\(name)\" value=\"\(chosen)\" list=\"fields\" spellcheck=\"false\" placeholder=\"field\">"
        }
        let options = keys.map { key -> HTML in
            "<option value=\"\(key)\"\(key == chosen ? " selected" as HTML : .empty)>\(key.shown(60))</option>"
        }
        return
            "<select name=\"\(name)\">\(orNone ? "<option value=\"\">nothing</option>" as HTML : .empty)\(options)</select>"
    }
}
