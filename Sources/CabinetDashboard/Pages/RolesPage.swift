import Cabinet
import CabinetServer
import CabinetTools

/// The roles of a schema, and what each of them may do with the records of each type in the public database.
enum RolesPage {
    static func answer(_ visit: Visit) async throws -> Answer {
        let schema = try await visit.database.schema()
        guard visit.place.scope == .public else {
            let address = Place(
                container: visit.place.container, environment: visit.place.environment, scope: .public,
                user: visit.place.user
            ).link("roles")
            return .page(
                Page(
                    title: "Roles",
                    main: """
                        <h1>Roles</h1><div class="empty"><p>Records of this database belong to its user, and shares say who else has them.</p>
                        <p><a href="\(address)">The roles of the public database</a></p></div>
                        """))
        }
        let roles = [Schema.worldRole, Schema.userRole, Schema.creatorRole] + schema.roles.sorted()
        let rows = schema.shownTypes.map { name -> HTML in
            let own = schema[name].grants
            let grants = own.isEmpty ? Schema.defaultGrants(of: name) : own
            let cells = roles.map { role -> HTML in
                let names = Schema.Permission.allCases.filter { grants[role]?.contains($0) == true }
                return
                    "<td>\(names.isEmpty ? "–" : names.map { $0.rawValue.lowercased() }.joined(separator: ", "))</td>"
            }
            let address = visit.place.link("type", ["type": name])
            return """
                <tr><th scope="row"><a href="\(address)">\(name.shown(80))</a>\(own.isEmpty ? " <small>by default</small>" as HTML : .empty)</th>\(cells)</tr>
                """
        }
        let titles = ["Type"] + roles.map { $0.shown(60) }
        let table: HTML =
            rows.isEmpty
            ? "<div class=\"empty\"><p>The public database has no record types.</p></div>"
            : .table(titles, caption: "Permissions of roles", rows)
        return .page(
            Page(
                title: "Roles",
                main: """
                    <h1>Roles</h1>\(table)
                    <p><code>_world</code> is everyone, <code>_icloud</code> each user, and <code>_creator</code> the user that saved the record. Change
                    roles and grants in the <a href="\(visit.place.link("schema"))">schema</a>, such as <code>CREATE ROLE Editor;</code> and
                    <code>GRANT READ, WRITE TO Editor</code> in a type.</p>
                    """, events: visit.events))
    }
}
