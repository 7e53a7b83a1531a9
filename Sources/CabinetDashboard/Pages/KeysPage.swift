import Cabinet
import CabinetServer
import Foundation

/// The API tokens of programs, and the keys of servers that sign their requests.
enum KeysPage {
    static func answer(_ visit: Visit) async throws -> Answer {
        let accounts = try visit.accounts
        if visit.form == nil, let name = visit["revoke"] { return .page(question(visit, name)) }
        var news: HTML?
        var status = HTTPResponse.Status.ok
        if let form = visit.form {
            do {
                news = try await change(form, accounts)
                if news == nil { return .redirect(visit.place.link("keys")) }
            } catch let error as CabinetError {
                (news, status) = (error.alert, .badRequest)
            }
        }
        let (tokens, keys) = (try await accounts.tokenTable(), try await accounts.keyTable())
        let main: HTML = """
            <h1>Tokens and keys</h1>\(news)
            <h2>API tokens</h2>\(list(tokens, "token", ["Name", "Added", "Page after a sign-in", "Change"], visit))
            <form class="inline" method="post" action="\(visit.place.link("keys"))">\(visit.proof)
            <label>New token <input name="name" required spellcheck="false" maxlength="64" autocomplete="off"></label>
            <label>Page after a sign-in <input name="callback" type="url" placeholder="https://www.example.com/notes"></label>
            <button name="do" value="add-token">Add</button></form>
            <h2>Keys of servers</h2>\(list(keys, "key", ["Name", "Key", "User", "Added", "Change"], visit))
            <form class="edit" method="post" action="\(visit.place.link("keys"))">\(visit.proof)
            <div class="field"><label for="key-name">New key</label><input id="key-name" name="name" required spellcheck="false" maxlength="64" autocomplete="off"></div>
            <div class="field"><label for="pem">Public key<small>ECDSA on P-256, in PEM</small></label>
            <textarea id="pem" name="pem" rows="5" class="code" required spellcheck="false" placeholder="-----BEGIN PUBLIC KEY-----"></textarea></div>
            <p><button name="do" value="add-key">Add</button></p></form>
            """
        return .page(Page(title: "Tokens and keys", main: main), status)
    }

    private static func change(_ form: HTTPForm, _ accounts: AccountStore) async throws -> HTML? {
        let name = form["name"]
        switch form["do"] {
        case "add-token":
            let text = form["callback"]
            let callback = text.isEmpty ? nil : URL(string: text)
            if !text.isEmpty, callback == nil {
                throw CabinetError(.invalidArguments, "The page after a sign-in is not a URL.")
            }
            return .secret("The API token \(name.shown(64))", try await accounts.addToken(name, callbackURL: callback))
        case "add-key": _ = try await accounts.addKey(name, publicKey: form["pem"])
        case "revoke-token": try await accounts.revokeToken(name)
        case "revoke-key": try await accounts.revokeKey(name)
        default: throw CabinetError(.invalidArguments, "The form does not say what to change.")
        }
        return nil
    }

    private static func list(_ table: AccountTable, _ kind: String, _ titles: [String], _ visit: Visit) -> HTML {
        if table.rows.isEmpty {
            return kind == "token"
                ? "<div class=\"empty\"><p>A program of CloudKit names itself with an API token. There are none.</p></div>"
                : "<div class=\"empty\"><p>A server signs its requests with a key. There are none.</p></div>"
        }
        let rows = table.rows.map { row -> HTML in
            let cells = row.dropFirst().map { text -> HTML in "<td class=\"break\">\(text.shown(80))</td>" }
            let address = visit.place.link("keys", ["revoke": row[0], "kind": kind])
            return
                "<tr><th scope=\"row\">\(row[0].shown(64))</th>\(cells)<td><a href=\"\(address)\">Revoke…</a></td></tr>"
        }
        return .table(titles, caption: kind == "token" ? "API tokens" : "Keys of servers", rows)
    }

    private static func question(_ visit: Visit, _ name: String) -> Page {
        let kind = visit["kind"] == "key" ? "key" : "token"
        let address = visit.place.link("keys")
        return Page(
            title: "Revoke \(name)",
            main: """
                <h1>Revoke the \(kind) \(name.shown(64))?</h1><p>Programs that use it are refused within ten seconds. Records stay.</p>
                <form method="post" action="\(address)">\(visit.proof)<input type="hidden" name="name" value="\(name)">
                <p><button class="danger" name="do" value="revoke-\(kind)">Revoke \(name.shown(64))</button> <a class="button" href="\(address)">Keep it</a></p></form>
                """,
            trail: [("Tokens and keys", address)])
    }
}
