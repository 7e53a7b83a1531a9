import Cabinet
import CabinetServer

/// The users of a server: added, disabled, and signed in with tokens that are shown once.
enum UsersPage {
    static func answer(_ visit: Visit) async throws -> Answer {
        let accounts = try visit.accounts
        var news: HTML?
        var status = HTTPResponse.Status.ok
        if let form = visit.form {
            do throws(CabinetError) {
                news = try await change(form, accounts)
                if news == nil { return .redirect(visit.place.link("users")) }
            } catch {
                (news, status) = (error.alert, .badRequest)
            }
        }
        let users = try await accounts.users()
        return .page(
            Page(title: "Users", main: "<h1>Users</h1>\(news)\(list(users, visit))\(form(users, visit))"), status)
    }

    /// Changes a user, and returns what is shown once.
    private static func change(_ form: HTTPForm, _ accounts: AccountStore) async throws(CabinetError) -> HTML? {
        do {
            let name = form["name"]
            switch form["do"] {
            case "add":
                try await accounts.addUser(
                    name, email: form["email"].isEmpty ? nil : form["email"],
                    roles: AccountStore.roles(in: form["roles"]))
            case "change":
                let (email, roles) = (form["email"], AccountStore.roles(in: form["roles"]))
                try await accounts.changeUser(name) { user in
                    (user.email, user.roles) = (email.isEmpty ? nil : email, roles.sorted())
                }
            case "disable": try await accounts.setDisabled(true, user: name)
            case "enable": try await accounts.setDisabled(false, user: name)
            case "sign-out": try await accounts.signOut(name)
            case "sign-in":
                return .secret(
                    "A token of \(name.shown(64)), which is valid for two weeks", try await accounts.signIn(name))
            default: throw CabinetError(.invalidArguments, "The form does not say what to change.")
            }
            return nil
        } catch let error as CabinetError {
            throw error
        } catch {
            throw CabinetError(.internalError, "The user was not changed.", underlyingError: error)
        }
    }

    private static func list(_ users: [AccountStore.User], _ visit: Visit) -> HTML {
        if users.isEmpty {
            return """
                <div class="empty"><p>The store has no users.</p><p>Programs sign in to a server as one: add the first one below.</p></div>
                """
        }
        let rows = users.map { user -> HTML in
            let act = Place(
                container: visit.place.container, environment: visit.place.environment, scope: .private,
                user: user.userRecordName)
            let roles = user.roles.joined(separator: ",")
            return """
                <tr\(user.isDisabled ? " class=\"gone\"" as HTML : .empty)><th scope="row">\
                <a href="\(visit.place.link("users", ["change": user.name]))" title="Change the email and the roles">\(user.name.shown(64))</a></th>\
                <td><a href="\(act.link())" title="Act as this user"><code>\(user.userRecordName.shown(40))</code></a></td>\
                <td>\((user.email ?? "").shown(80))</td><td>\(roles.shown(80))</td><td>\(user.isDisabled ? "disabled" : "enabled")</td>\
                <td><form class="inline small" method="post" action="\(visit.place.link("users"))">\
                \(visit.proof)<input type="hidden" name="name" value="\(user.name)">\
                <button name="do" value="sign-in">Sign-in token</button> <button name="do" value="sign-out">Sign out</button> \
                <button name="do" value="\(user.isDisabled ? "enable" : "disable")">\(user.isDisabled ? "Enable" : "Disable")</button></form></td></tr>
                """
        }
        return .table(["Name", "Record", "Email", "Roles", "State", "Change"], hasLines: true, caption: "Users", rows)
    }

    /// The form for a new user, or for the user that the address names.
    private static func form(_ users: [AccountStore.User], _ visit: Visit) -> HTML {
        let user = users.first { $0.name == visit["change"] }
        let name: HTML =
            if let user {
                "<input type=\"hidden\" name=\"name\" value=\"\(user.name)\">"
            } else {
                "<label>New user <input name=\"name\" required spellcheck=\"false\" maxlength=\"64\" autocomplete=\"off\"></label>"
            }
        let buttons: HTML =
            if user == nil {
                "<button name=\"do\" value=\"add\">Add</button>"
            } else {
                """
                <button name="do" value="change">Save</button> <a class="button" href="\(visit.place.link("users"))">Cancel</a>
                """
            }
        return """
            \(user.map { "<h2>\($0.name.shown(64))</h2>" as HTML })<form class="inline" method="post" \
            action="\(visit.place.link("users", ["change": user?.name]))">\(visit.proof)
            \(name)
            <label>Email <input name="email" type="email" value="\(user?.email ?? "")" autocomplete="off"></label>
            <label>Roles <input name="roles" value="\((user?.roles ?? []).joined(separator: ","))" placeholder="Editor,Author" spellcheck="false" autocomplete="off"></label>
            \(buttons)</form>
            """
    }
}

extension Visit {
    /// The accounts of the store; throws if its users are elsewhere.
    var accounts: AccountStore {
        get throws(HTTPError) {
            guard let accounts = store.accounts else {
                throw HTTPError(.notFound, "The users and keys of this store are managed where it lies.")
            }
            return accounts
        }
    }
}

extension HTML {
    /// A secret that no other page shows.
    static func secret(_ title: String, _ secret: String) -> HTML {
        """
        <section class="secret" role="status"><h2>\(title)</h2><p><code class="break">\(secret)</code></p>
        <p>It is shown once: only its checksum is stored.</p></section>
        """
    }

    /// A table with a heading for each column.
    ///
    /// - Parameters:
    ///   - numbers: The columns of numbers.
    ///   - hasLines: Whether each row is one line.
    static func table(
        _ columns: [String], numbers: Set<Int> = [], hasLines: Bool = false, caption: String, _ rows: [HTML]
    ) -> HTML {
        let titles = columns.enumerated().map { position, title -> HTML in
            "<th scope=\"col\"\(numbers.contains(position) ? " class=\"number\"" as HTML : .empty)>\(title)</th>"
        }
        return """
            <div class="scroll"><table\(hasLines ? " class=\"rows\"" as HTML : .empty)><caption class="hidden">\(caption)</caption><thead><tr>\(titles)</tr></thead>
            <tbody>\(rows)</tbody></table></div>
            """
    }
}

extension CabinetError {
    /// The text for a person; the message of a batch does not say why an item has failed.
    var shownMessage: String { message.isEmpty || code == .partialFailure ? errorDescription ?? "" : message }

    /// The error as a part of a page.
    var alert: HTML { "<pre class=\"message\" role=\"alert\">\(shownMessage.shown(2_000))</pre>" }
}
