import Cabinet
import CabinetServer
import CabinetTools
import Foundation

/// The schema of a database as a text: changed in two steps, with the difference between them, and deployed to another environment.
enum SchemaPage {
    static func answer(_ visit: Visit) async throws -> Answer {
        let schema = try await visit.database.schema()
        guard let form = visit.form else {
            return .page(page(visit, text: try SchemaDocument(schema).text(in: .cabinet)))
        }
        if !form["deploy"].isEmpty { return try await deploy(form, visit, schema) }
        let text = form["text"]
        let new: Schema
        do {
            new = try SchemaDocument(parsing: text, dialect: .cabinet).schema
        } catch {
            return .page(page(visit, text: text, mistake: error.message), .badRequest)
        }
        let difference = schema.difference(to: schema.extended(by: new, withAll: true))
        if form["apply"].isEmpty { return .page(page(visit, text: text, difference: difference)) }
        guard form[comparedField] == checksum(text, difference) else {
            let mistake = "The text or the database has changed since the comparison. Nothing is applied yet."
            return .page(page(visit, text: text, mistake: mistake, difference: difference), .conflict)
        }
        do {
            try await visit.change(difference.changes.map { "\($0)" }) { try await $0.apply(new) }
        } catch let error as CabinetError {
            return .page(page(visit, text: text, mistake: error.message), .badRequest)
        }
        return .redirect(visit.place.link("schema"))
    }

    /// The name of the hidden field with the checksum of what was compared.
    private static let comparedField = "compared"

    /// The checksum of a text and of the difference that was shown for it.
    private static func checksum(_ text: String, _ difference: SchemaDifference) -> String {
        "\(Asset.Checksum(of: Data("\(text)\n\(difference)".utf8)))"
    }

    private static func page(
        _ visit: Visit, text: String, mistake: String? = nil, difference: SchemaDifference? = nil
    ) -> Page {
        let address = visit.place.link("schema")
        let alert = mistake.map { text -> HTML in "<pre class=\"message\" role=\"alert\">\(text.shown(2_000))</pre>" }
        let changes = difference.map { difference -> HTML in
            difference.isEmpty
                ? "<p class=\"status\">The text says what the database has.</p>"
                : "<h2>What changes</h2>\(list(difference))<p><button class=\"main\" name=\"apply\" value=\"1\">Apply</button></p>"
        }
        let lines = min(max(text.split(separator: "\n", omittingEmptySubsequences: false).count + 1, 12), 40)
        return Page(
            title: "Schema",
            main: """
                <h1>Schema</h1>\(alert)
                <form class="schema" method="post" action="\(address)">\(visit.proof)
                <label for="text">In the language of CloudKit's schemas. Types and fields that it lacks stay.</label>
                <textarea id="text" name="text" rows="\(lines)" spellcheck="false" class="code">
                \(text)</textarea>
                <input type="hidden" name="\(comparedField)" value="\(difference.map { checksum(text, $0) } ?? "")">
                <p><button>Compare</button></p>\(changes)</form>
                \(visit.work.html(at: visit.place))\(targets(visit))
                """, events: visit.form == nil ? visit.events : nil)
    }

    private static func list(_ difference: SchemaDifference) -> HTML {
        let items = difference.changes.map { change -> HTML in
            "<li\(change.isLoss ? " class=\"loss\"" as HTML : .empty)>\("\(change)".shown(300))</li>"
        }
        return "<ul class=\"changes\">\(items)</ul>"
    }

    /// The other environments of the container, to which the schema can be deployed.
    private static func others(_ visit: Visit) -> [Dashboard.Store] {
        visit.siblings.filter { $0.identifier == visit.store.identifier && $0.environment != visit.store.environment }
    }

    private static func targets(_ visit: Visit) -> HTML {
        others(visit).map { store -> HTML in
            """
            <form method="post" action="\(visit.place.link("schema"))">\(visit.proof)<input type="hidden" name="deploy" value="\(store.environment)">
            <p><button>Deploy to \(store.environment.shown(40))…</button></p></form>
            """
        }.joined(by: .empty)
    }

    private static func deploy(_ form: HTTPForm, _ visit: Visit, _ schema: Schema) async throws -> Answer {
        guard let store = others(visit).first(where: { $0.environment == form["deploy"] }) else {
            throw HTTPError(.notFound, "There is no such environment.")
        }
        // The containers of a server belong to no user: then the person acts as one.
        let account = store.account ?? visit.account
        // The service of production may refuse what its schema lacks, which a deployment adds.
        let container = try store.storage.map {
            try Container(identifier: store.identifier, backend: $0, account: account)
        }
        let target = try
            (container ?? Container(identifier: store.identifier, service: store.service, account: account))
            .database(with: visit.place.scope)
        let difference = try await target.schema().difference(to: schema)
        if !form["apply"].isEmpty {
            let place = Place(
                container: store.identifier, environment: store.environment, scope: visit.place.scope,
                user: visit.place.user)
            try await visit.work.run(difference.changes.map { "\($0)" }, at: place, waitLimit: visit.schemaWaitLimit) {
                try await target.deploy(schema)
            }
            return .redirect(place.link("schema"))
        }
        let isRefused = !difference.losses.isEmpty
        let button: HTML =
            isRefused || difference.isEmpty
            ? "<p>\(isRefused ? "Data would be lost, so this cannot be deployed." : "The schemas are equal.")</p>"
            : "<button class=\"main\" name=\"apply\" value=\"1\">Deploy to \(store.environment.shown(40))</button>"
        return .page(
            Page(
                title: "Deploy",
                main: """
                    <h1>Deploy to \(store.environment.shown(40))?</h1>\(list(difference))
                    <form method="post" action="\(visit.place.link("schema"))">\(visit.proof)<input type="hidden" name="deploy" value="\(store.environment)">
                    \(button) <a class="button" href="\(visit.place.link("schema"))">Back</a></form>
                    """,
                trail: [("Schema", visit.place.link("schema"))]))
    }
}

extension Schema {
    /// The schema after another one was applied to it.
    func extended(by other: Schema, withAll: Bool) -> Schema {
        var schema = self
        for (name, type) in extended(by: other).recordTypes {
            var whole = type
            for (key, field) in self[name].fields where whole.fields[key] == nil { whole.fields[key] = field }
            schema[name] = whole
        }
        return schema
    }
}
