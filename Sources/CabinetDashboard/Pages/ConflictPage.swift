import Cabinet
import CabinetServer
import CabinetTools

/// A record that another client has changed while a person did: the three states of each field, and a form with the person's.
enum ConflictPage {
    static func page(_ visit: Visit, _ server: Record, _ form: RecordForm) -> Page {
        let current = RecordForm(server, Schema.RecordType())
        let stored = Dictionary(current.rows.map { ($0.key, $0.new) }, uniquingKeysWith: { first, _ in first })
        var rows = form.rows.filter(\.isTyped).compactMap { row -> HTML? in
            let now = stored[row.key] ?? ""
            guard row.isChanged || row.isChanged(to: now) else { return nil }
            let isInConflict = row.isChanged && row.isChanged(to: now) && !now.hasSameScalars(as: row.new)
            return Self.row(row.key, row.old, now, row.new, isInConflict: isInConflict)
        }
        rows += form.rows.filter { $0.type?.scalar == .asset }.compactMap { row -> HTML? in
            let now = stored[row.key] ?? ""
            let yours = form.files.description(of: row.key)
            guard yours != nil || row.isChanged(to: now) else { return nil }
            let isInConflict = yours != nil && row.isChanged(to: now)
            return Self.row(
                row.key, size(row.old), size(now), yours ?? size(row.old), isInConflict: isInConflict)
        }
        var merged = RecordForm(server, form.type)
        merged.take(changesOf: form)
        let address = visit.place.link(to: server.recordID)
        return Page(
            title: "Changed by another",
            main: """
                <h1>Another client has changed this record</h1>
                <p>Nothing is saved yet. The form has your changes on top of the current record.</p>
                <div class="scroll"><table><caption class="hidden">The three states of each field</caption><thead><tr><th scope="col">Field</th>\
                <th scope="col">When you opened it</th><th scope="col">Now</th><th scope="col">Yours</th></tr></thead><tbody>\(rows)</tbody></table></div>
                \(merged.html(visit, address: address, button: "Save mine"))
                <p><a href="\(address)">Keep the current record</a></p>
                """,
            trail: [visit.typesTrail, (server.recordID.recordName, address)])
    }

    private static func row(_ key: String, _ old: String, _ now: String, _ new: String, isInConflict: Bool) -> HTML {
        """
        <tr\(isInConflict ? " class=\"conflict\"" as HTML : .empty)><th scope="row">\(key.shown(60))</th>\
        <td>\(old.shown(500))</td><td>\(now.shown(500))</td><td>\(new.shown(500))</td></tr>
        """
    }

    /// The sizes of the assets that a text of a value describes.
    private static func size(_ text: String) -> String {
        guard let value = try? JSONValue(parsing: text) else { return "" }
        let assets = if case .array(let assets) = value { assets } else { [value] }
        return assets.map { asset in
            // The text was sent by a client: it may say anything.
            if case .integer(let size)? = asset["size"], size >= 0 { Int(clamping: size).counted("byte") } else { "" }
        }.joined(separator: ", ")
    }
}
