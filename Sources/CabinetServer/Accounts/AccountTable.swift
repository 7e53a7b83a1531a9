import Foundation

/// The users, API tokens or keys of a server as a table, for a terminal and for pages.
package struct AccountTable: Sendable {
    /// The names of the columns.
    package let columns: [String]
    /// The texts of each row, which begins with the name.
    package let rows: [[String]]
}

extension AccountStore {
    /// Returns the users as a table.
    package func userTable() async throws -> AccountTable {
        AccountTable(
            columns: ["name", "record", "email", "roles", "state"],
            rows: try await users().map { user in
                [
                    user.name, user.userRecordName, user.email ?? "", user.roles.joined(separator: ","),
                    user.isDisabled ? "disabled" : "enabled",
                ]
            })
    }

    /// Returns the API tokens as a table, without the tokens themselves, which are not stored.
    package func tokenTable() async throws -> AccountTable {
        AccountTable(
            columns: ["name", "date", "callback"],
            rows: try await tokens().map {
                [$0.name, $0.date.formatted(.iso8601), $0.callbackURL?.absoluteString ?? ""]
            })
    }

    /// Returns the keys of servers as a table.
    package func keyTable() async throws -> AccountTable {
        AccountTable(
            columns: ["name", "key", "record", "date"],
            rows: try await keys().map { [$0.name, $0.keyID, $0.userRecordName, $0.date.formatted(.iso8601)] })
    }

    /// Returns the roles of a text with commas between them.
    package static func roles(in text: String) -> Set<String> {
        Set(text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty })
    }
}
