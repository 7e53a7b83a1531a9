import Cabinet
import CabinetServer
import CabinetTools
import Foundation

/// An import of a file in two steps: what it will do, and what it has done.
enum ImportPage {
    /// The number of sentences about what an import has passed over that are shown.
    private static let maximumLosses = 200

    static func answer(_ visit: Visit) async throws -> Answer {
        guard let form = visit.form else { return .page(page(visit, .empty)) }
        do {
            if !form["confirm"].isEmpty { return .page(try await run(form["confirm"], visit)) }
            return .page(try await preview(form, visit))
        } catch let error as CabinetError {
            return .page(page(visit, error.alert), .badRequest)
        }
    }

    private static func page(_ visit: Visit, _ news: HTML) -> Page {
        Page(
            title: "Import",
            main: """
                <h1>Import</h1>\(news)
                <form class="edit" method="post" action="\(address(visit))" enctype="multipart/form-data">\(visit.proof)
                <div class="field"><label for="file">File<small>an export or archive of cabinet, CSV, or JSON objects</small></label>
                <input id="file" name="file" type="file" required accept=".csv,.json,.jsonl,.ndjson,.zip"></div>
                <div class="field"><label for="type">Record type<small>for CSV and JSON objects; an export names its own</small></label>
                <input id="type" name="type" value="\(visit.form?["type"] ?? visit["type"] ?? "")" spellcheck="false" list="types"></div>
                <div class="field"><label for="assets">Files of assets<small>the folder beside an export; an archive has it</small></label>
                <input id="assets" name="assets" type="file" multiple webkitdirectory></div>
                <p><button class="main">Show what it will do</button></p></form>
                """, trail: [visit.typesTrail])
    }

    private static func address(_ visit: Visit) -> String {
        visit.place.link("import", ["zone": Place.zoneName(visit.zoneID), "owner": Place.owner(visit.zoneID)])
    }

    /// Reads the file, and shows what the import will do.
    private static func preview(_ form: HTTPForm, _ visit: Visit) async throws -> Page {
        let schema = try await visit.database.schema()
        let type = form["type"]
        var (newFields, ignored): ([Record.FieldKey: FieldType], Set<String>) = ([:], [])
        let convert: (URL, URL) throws -> Void = { file, lines in
            var conversion = RowConversion(
                of: file, as: type, in: schema, zoneID: visit.zoneID == .default ? nil : visit.zoneID, timeZone: .gmt)
            do {
                try conversion.run(to: lines)
            } catch let error as CabinetError {
                // The person knows the file by another name.
                throw CabinetError(
                    error.code, error.message.replacing(file.relativePath, with: form.file("file")?.name ?? ""))
            }
            (newFields, ignored) = (conversion.newFields, conversion.ignoredNames)
        }
        let draft = try ImportDraft(form, convert: type.isEmpty ? nil : convert)
        let preview = try ImportPreview(of: draft.lines)
        var changes = preview.counts.sorted { $0.key < $1.key }.map { type, count -> HTML in
            let isNew = schema.recordTypes[type] == nil
            return "<li>\(count.counted("record")) of \(type.shown(80))\(isNew ? ", a new type" : "")</li>"
        }
        changes += newFields.sorted { $0.key < $1.key }.map { key, type in
            "<li>New field <code>\(key.shown(80)) \("\(type)")</code></li>"
        }
        if let new = preview.schema {
            let difference = schema.difference(to: schema.extended(by: new, withAll: true))
            changes += difference.changes.map { "<li>\("\($0)".shown(300))</li>" }
        }
        if preview.deletionCount > 0 { changes.append("<li>\(preview.deletionCount.counted("deletion"))</li>") }
        if !ignored.isEmpty {
            changes.append(
                "<li class=\"gone\">Passed over: \(ignored.sorted().joined(separator: ", ").shown(300))</li>")
        }
        let id = visit.imports.add(draft, of: draft.size, at: visit.place)
        return Page(
            title: "Import \(draft.fileName)",
            main: """
                <h1>Import \(draft.fileName.shown(120))?</h1><ul class="changes">\(changes)</ul>
                <p>Existing records of the same names \(type.isEmpty ? "are replaced" : "keep the fields that the file lacks").</p>
                \(samples(preview))
                <form method="post" action="\(address(visit))">\(visit.proof)<input type="hidden" name="confirm" value="\(id)">
                <p><button class="main">Import</button> <a class="button" href="\(address(visit))">Choose another file</a></p></form>
                """,
            trail: [visit.typesTrail, ("Import", address(visit))])
    }

    private static func samples(_ preview: ImportPreview) -> HTML {
        let rows = preview.samples.map { sample -> HTML in
            let fields = sample.fields.prefix(20).map { key, text -> HTML in
                "<dt>\(key.shown(40))</dt><dd>\(text.shown(120))</dd>"
            }
            return
                "<tr><th scope=\"row\">\(sample.name.shown(60))</th><td>\(sample.type.shown(40))</td><td><dl>\(fields)</dl></td></tr>"
        }
        return rows.isEmpty ? .empty : .table(["Record", "Type", "Fields"], caption: "The first records", rows)
    }

    /// Imports a file that was shown before.
    private static func run(_ id: String, _ visit: Visit) async throws -> Page {
        guard let draft = visit.imports.take(id, at: visit.place) else {
            throw CabinetError(.invalidArguments, "The file was imported already, or is too old. Choose it again.")
        }
        // The rules of the dashboard's service apply. Only the position in the file is the store's own. A server stores none, and neither
        // does the database of another owner; the draft ends with this import.
        let container = try visit.store.storage.map {
            try Container(identifier: visit.store.identifier, backend: $0, account: visit.account)
        }
        var transfer = try await DatabaseImport(
            of: draft.lines, into: visit.database, of: container ?? visit.container, assetsIn: draft.assets,
            positionsIn: container == nil || visit.database.databaseScope == .shared
                ? (MemoryBackend(), visit.store.identifier) : nil)
        var (count, notices): (Int, [HTML]) = (0, [])
        try await transfer.run { event in
            switch event {
            case .progress(let number, _): count = number
            case .notice(let text): notices.append("<li>\(text.shown(300))</li>")
            case .loss(let text):
                if notices.count < maximumLosses { notices.append("<li class=\"loss\">\(text.shown(300))</li>") }
            }
        }
        let news: HTML = """
            <p class="message good" role="status">Imported \(count.counted("record")) from \(draft.fileName.shown(120)). \
            <a href="\(visit.place.link())">Record types</a></p>\(notices.isEmpty ? .empty : "<ul class=\"changes\">\(notices)</ul>")
            """
        return page(visit, news)
    }
}
