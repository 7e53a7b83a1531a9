import CPostgreSQL
import Cabinet
import SQLSupport

/// The roles that may use tables, and the one that they belong to.
extension Connection {
    /// Runs statements as the owner of a schema, whose tables then are those that they create, if the role is a member of it.
    ///
    /// So every other member can change them later. The default privileges of the owner apply too.
    func asOwner(of schema: SchemaName, _ body: () throws -> Void) throws {
        // Since version 16, membership alone does not suffice.
        let privilege = PQserverVersion(handle) >= 160_000 ? "SET" : "MEMBER"
        let found = try query(
            """
            SELECT quote_ident(r.rolname) FROM pg_namespace AS n JOIN pg_roles AS r ON r.oid = n.nspowner \
            WHERE n.nspname = $1 AND r.rolname <> current_user AND pg_has_role(r.oid, '\(privilege)')
            """, [.text(schema.name)], isPrepared: false)
        guard let owner = found.first?.text(0) else { return try body() }
        try enqueue("SET LOCAL ROLE \(owner)", isPrepared: false)
        try body()
        try enqueue("RESET ROLE", isPrepared: false)
    }

    /// The statements that let the role use tables, but not change the schema, or read all of their rows.
    func advice(for refusal: PostgresFailure) -> String? {
        guard let schema else { return nil }
        if refusal.isOfPolicy {
            return "Row-level security hides rows from this role, which Cabinet would take for missing. Disable it on "
                + "the tables of the schema \(schema), or, as a superuser, run: ALTER ROLE \(role) BYPASSRLS;"
        }
        return "As the schema's owner, run: GRANT USAGE ON SCHEMA \(schema) TO \(role); "
            + "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(schema) TO \(role);"
    }

    /// The statement that lets the role of the login connect, which was refused.
    var connectAdvice: String? {
        guard let role = PQuser(handle), let database = PQdb(handle) else { return nil }
        return "As the database's owner, run: GRANT CONNECT ON DATABASE \(SQLName.quoted(String(cString: database))) "
            + "TO \(SQLName.quoted(String(cString: role)));"
    }

    /// The statements that let the role change a schema, which it was refused.
    ///
    /// Call this outside a transaction.
    func growthAdvice(for schema: SchemaName) throws -> String {
        let names = try query(
            """
            SELECT quote_ident(current_user), quote_ident(current_database()), \
            EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)
            """, [.text(schema.name)], isPrepared: false)
        let role = names.first?.text(0) ?? ""
        guard names.first?.boolean(2) == true else {
            return "As the database's owner, run: GRANT CREATE ON DATABASE \(names.first?.text(1) ?? "") TO \(role);"
        }
        let owners = try query(
            """
            SELECT DISTINCT quote_ident(r.rolname), r.rolsuper FROM pg_namespace AS n \
            LEFT JOIN pg_class AS c ON c.relnamespace = n.oid AND c.relkind IN ('r', 'p') \
            JOIN pg_roles AS r ON r.oid IN (n.nspowner, c.relowner) \
            WHERE n.nspname = $1 AND NOT pg_has_role(r.oid, 'USAGE')
            """, [.text(schema.name)], isPrepared: false
        ).rows.map { (name: $0.text(0) ?? "", isSuperuser: $0.boolean(1) == true) }
        if owners.isEmpty {
            return "As a superuser, run: GRANT USAGE, CREATE ON SCHEMA \(schema.quoted) TO \(role);"
        }
        // Its members would be superusers.
        if owners.contains(where: \.isSuperuser) {
            return "The schema \(schema.quoted) or its tables belong to a superuser. Give them another owner, and make "
                + "the role a member of it, as the article 'Running PostgreSQL' shows."
        }
        return "New record types, fields and indexes take a member of the tables' owner. As a superuser, run: "
            + "GRANT \(owners.map(\.name).joined(separator: ", ")) TO \(role);"
    }
}
