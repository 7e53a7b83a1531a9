import Cabinet
import CabinetServer
import CabinetTools

/// A record type: its fields and indexes, and forms that add, rename and drop a field.
enum TypePage {
    static func answer(_ visit: Visit) async throws -> Answer {
        guard let name = visit["type"] else { throw HTTPError(.badRequest, "The address names no record type.") }
        let schema = try await visit.database.schema()
        guard let type = schema.recordTypes[name] else {
            throw HTTPError(.notFound, "This database has no records of the type '\(name)'.")
        }
        var failure: CabinetError?
        if let form = visit.form {
            do {
                if let answer = try await change(form, name, type, visit) { return answer }
            } catch let error as CabinetError {
                failure = error
            }
        }
        return .page(try page(visit, name, type, failure), failure == nil ? .ok : .badRequest)
    }

    /// Changes the type as a form says, or asks whether what a drop loses may go.
    private static func change(
        _ form: HTTPForm, _ name: String, _ type: Schema.RecordType, _ visit: Visit
    ) async throws -> Answer? {
        let address = visit.place.link("type", ["type": name])
        if !form["field"].isEmpty {
            let new = try FieldDefinition(form["field"], form["definition"], of: name)
            let extended = try await visit.database.schema().extended(by: new.schema)
            try await visit.change(["\(name).\(form["field"]) \(form["definition"])"]) { try await $0.apply(extended) }
            return .redirect(address)
        }
        let part = form["part"].isEmpty ? SchemaPart(name) : SchemaPart(name, form["part"])
        let absence = part.fieldKey.map { "\(name) has no field '\($0)'." } ?? "This database has no type '\(name)'."
        let missing = CabinetError(.unknownItem, absence, fieldKey: part.fieldKey)
        // The database takes a missing field for one that it has renamed before.
        if let key = part.fieldKey, type.fields[key] == nil { throw missing }
        // The button decides, also with a text in the box beside it.
        if form["drop"].isEmpty {
            if form["rename"].isEmpty { return nil }
            guard try await visit.database.rename(part, to: form["rename"]) else { throw missing }
            return .redirect(form["part"].isEmpty ? visit.place.link("type", ["type": form["rename"]]) : address)
        }
        let losses = try await visit.database.lossesOfDrop(part)
        if let limit = Int(form["losing"]) {
            try await visit.change(["drop of \(part.recordType)\(part.fieldKey.map { ".\($0)" } ?? "")"]) {
                try await $0.drop(part, losingAtMost: limit)
            }
            return .redirect(form["part"].isEmpty ? visit.place.link() : address)
        }
        let subject = form["part"].isEmpty ? "record type \(name)" : "field \(form["part"])"
        let what = form["part"].isEmpty ? "record" : "value"
        return .page(
            Page(
                title: "Drop \(subject)",
                main: """
                    <h1>Drop the \(subject.shown(120))?</h1><p>\(losses.counted(what)) \(losses == 1 ? "goes" : "go") with it.</p>
                    <form method="post" action="\(address)">\(visit.proof)<input type="hidden" name="part" value="\(form["part"])">
                    <input type="hidden" name="drop" value="1"><input type="hidden" name="losing" value="\(losses)">
                    <p><button class="danger">Drop it</button> <a class="button" href="\(address)">Keep it</a></p></form>
                    """,
                trail: [visit.typesTrail, (name, address)]))
    }

    private static func page(
        _ visit: Visit, _ name: String, _ type: Schema.RecordType, _ failure: CabinetError?
    ) throws -> Page {
        let address = visit.place.link("type", ["type": name])
        let rows = type.shownFields.map { key, field -> HTML in
            let indexes = field.options.names.joined(separator: " ")
            let isOwn = SystemField(rawValue: key) == nil
            return """
                <tr><th scope="row">\(key.shown(80))</th><td>\("\(field.type)")</td><td>\(indexes)</td>\
                <td>\(isOwn ? change(key, name, visit) : .empty)</td></tr>
                """
        }
        let indexes = type.indexes.map { "INDEX (\($0.joined(separator: ", ")))" }.sorted()
        let unique = type.uniqueKeys.map { "UNIQUE (\($0.joined(separator: ", ")))" }.sorted()
        let compound = (indexes + unique).map { text -> HTML in "<li><code>\(text.shown(200))</code></li>" }
        let definition = visit.form?["definition"] ?? ""
        return Page(
            title: name,
            main: """
                <div class="title"><h1>\(name.shown(80))</h1><a class="button" href="\(visit.place.link("records", ["type": name, "zone": visit["zone"], "owner": visit["owner"]]))">Records</a></div>\(failure?.alert)
                <div class="scroll"><table><caption class="hidden">Fields</caption><thead><tr><th scope="col">Field</th><th scope="col">Type</th>\
                <th scope="col">Indexes</th><th scope="col">Change</th></tr></thead><tbody>\(rows)</tbody></table></div>
                \(compound.isEmpty ? .empty : "<ul class=\"plain\">\(compound)</ul>")\(visit.work.html(at: visit.place))
                <form class="inline" method="post" action="\(address)">\(visit.proof)
                <label>New field <input name="field" value="\(visit.form?["field"] ?? "")" required spellcheck="false"></label>
                <label>Type and indexes <input name="definition" value="\(definition.isEmpty ? "STRING QUERYABLE" : definition)" required spellcheck="false"></label> <button>Add</button></form>
                <details><summary class="button">Rename or drop the record type</summary>\(forms(nil, address, visit))</details>
                """,
            trail: [visit.typesTrail])
    }

    /// The link to the forms of a field, or these forms if the person has chosen the field.
    private static func change(_ key: String, _ name: String, _ visit: Visit) -> HTML {
        if visit["part"] == key { return forms(key, visit.place.link("type", ["type": name]), visit) }
        return "<a href=\"\(visit.place.link("type", ["type": name, "part": key]))\">Change…</a>"
    }

    /// The forms that rename and drop a field, or the type.
    private static func forms(_ key: String?, _ address: String, _ visit: Visit) -> HTML {
        """
        <form class="inline small" method="post" action="\(address)">\(visit.proof)<input type="hidden" name="part" value="\(key ?? "")">
        <input name="rename" aria-label="New name of \((key ?? "the record type").shown(60))" placeholder="new name" spellcheck="false"> \
        <button>Rename</button> <button name="drop" value="1" class="danger">Drop…</button></form>
        """
    }
}

extension Schema.Field.Options {
    /// The words of the schema language for the indexes.
    fileprivate var names: [String] {
        [(Self.queryable, "QUERYABLE"), (.sortable, "SORTABLE"), (.searchable, "SEARCHABLE")]
            .filter { contains($0.0) }.map(\.1)
    }
}
