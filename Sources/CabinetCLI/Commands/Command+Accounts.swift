import Cabinet
import CabinetRemote
import CabinetServer
import CabinetTools
import Foundation
import TerminalProgram

extension Command {
    /// The options that find the store of a server's container.
    private static let accountOptions = [CLIOption.configuration]

    static let addUser = Command(
        words: ["users", "add"], parameters: ["NAME"],
        options: [CLIOption.email, CLIOption.recordName] + accountOptions,
        summary: "Add a user of the server, and print the user's record name",
        details:
            """
            The roles are those that grants of the schema name. The user signs in with a token: cabinet users sign-in NAME. The commands of users, tokens and
            keys take a server's --config FILE instead of --store, and --container ID if it serves several.
            """,
        examples: [
            "cabinet users add ann --email ann@example.com --roles Editor",
            "cabinet users add ann --config /etc/cabinet.json --container com.example.shop",
        ]
    ) { invocation in
        let roles = AccountStore.roles(in: invocation.option(CLIOption.roles) ?? "")
        let name = try invocation.parameter(0)
        try await invocation.withAccounts(adds: true) { accounts in
            let user = try await accounts.addUser(
                name, email: invocation.option(CLIOption.email), roles: roles,
                userRecordName: invocation.option(CLIOption.recordName))
            invocation.console.write(user.userRecordName)
        }
    }

    static let changeUser = Command(
        words: ["users", "change"], parameters: ["NAME"],
        options: [CLIOption.email, CLIOption.noEmail, CLIOption.noRoles] + accountOptions,
        summary: "Change the address or the roles of a user within ten seconds",
        details: "The new roles replace the old ones.",
        examples: ["cabinet users change ann --roles Editor,Author", "cabinet users change ann --no-email"]
    ) { invocation in
        let name = try invocation.parameter(0)
        let (email, roles) = (invocation.option(CLIOption.email), invocation.option(CLIOption.roles))
        let (removesEmail, removesRoles) = (
            invocation.hasFlag(CLIOption.noEmail), invocation.hasFlag(CLIOption.noRoles)
        )
        if email == nil, roles == nil, !removesEmail, !removesRoles {
            throw CommandError.usage("Nothing is to be changed. Use --email ADDRESS or --roles ROLES.")
        }
        if email != nil && removesEmail || roles != nil && removesRoles {
            throw CommandError.usage("One option sets what another removes. Use one of them.")
        }
        try await invocation.withAccounts { accounts in
            try await accounts.changeUser(name) { user in
                if email != nil || removesEmail { user.email = email }
                if roles != nil || removesRoles { user.roles = AccountStore.roles(in: roles ?? "").sorted() }
            }
        }
    }

    static let listUsers = Command(
        words: ["users", "list"], options: accountOptions, summary: "Print the users of the server",
        examples: ["cabinet users list"]
    ) { invocation in
        try await invocation.withAccounts { accounts in
            try invocation.write(try await accounts.userTable())
        }
    }

    static let disableUser = Command(
        words: ["users", "disable"], parameters: ["NAME"], options: accountOptions,
        summary: "Refuse the tokens of a user within ten seconds; the records stay",
        examples: ["cabinet users disable ann"]
    ) { invocation in
        let name = try invocation.parameter(0)
        try await invocation.withAccounts { try await $0.setDisabled(true, user: name) }
        invocation.console.write("\(name.printable) is disabled. To undo: cabinet users enable \(name.printable)")
    }

    static let enableUser = Command(
        words: ["users", "enable"], parameters: ["NAME"], options: accountOptions,
        summary: "Accept the tokens of a disabled user again",
        examples: ["cabinet users enable ann"]
    ) { invocation in
        let name = try invocation.parameter(0)
        try await invocation.withAccounts { try await $0.setDisabled(false, user: name) }
        invocation.console.write("\(name.printable) is enabled.")
    }

    static let signIn = Command(
        words: ["users", "sign-in"], parameters: ["NAME"], options: [CLIOption.to] + accountOptions,
        summary: "Print a new token of a user, which is valid for two weeks",
        details: """
            The store has the token's hash alone, so it cannot be printed again. With --to, the user's record name and the token are written to
            a file for --credentials and CABINET_CREDENTIALS. A file with earlier credentials of the user is replaced.
            """,
        examples: ["cabinet users sign-in ann", "cabinet users sign-in ann --to ann.json"]
    ) { invocation in
        let name = try invocation.parameter(0)
        try await invocation.withAccounts { accounts in
            guard let user = try await accounts.users().first(where: { $0.name == name }) else {
                throw CommandError(.notFound, "There is no user '\(name.printable)'.")
            }
            if user.isDisabled {
                invocation.console.writeError(
                    "\(name.printable) is disabled, so the token is refused until: cabinet users enable \(name.printable)"
                )
            }
            guard let path = invocation.option(CLIOption.to) else {
                return invocation.console.write(try await accounts.signIn(name))
            }
            let file = URL(fileURLWithPath: path)
            try Credentials.checkFile(file, for: user.userRecordName)
            try Credentials.write(try await accounts.signIn(name), userRecordName: user.userRecordName, to: file)
        }
    }

    static let signOut = Command(
        words: ["users", "sign-out"], parameters: ["NAME"], options: accountOptions,
        summary: "Revoke all tokens of a user",
        examples: ["cabinet users sign-out ann"]
    ) { invocation in
        let name = try invocation.parameter(0)
        try await invocation.withAccounts { try await $0.signOut(name) }
    }

    static let addToken = Command(
        words: ["tokens", "add"], parameters: ["NAME"], options: [CLIOption.callback] + accountOptions,
        summary: "Print a new API token, by which a program of CloudKit names itself: ckAPIToken",
        details: "After a sign-in in a browser, the page of --callback gets the user's web token.",
        examples: ["cabinet tokens add website --callback https://www.example.com/notes"]
    ) { invocation in
        let name = try invocation.parameter(0)
        let callback = try invocation.option(CLIOption.callback).map { text in
            guard let url = URL(string: text) else { throw CommandError.usage("'\(text.printable)' is not a URL.") }
            return url
        }
        try await invocation.withAccounts(adds: true) { accounts in
            invocation.console.write(try await accounts.addToken(name, callbackURL: callback))
        }
    }

    static let listTokens = Command(
        words: ["tokens", "list"], options: accountOptions, summary: "Print the names of the API tokens",
        examples: ["cabinet tokens list"]
    ) { invocation in
        try await invocation.withAccounts { accounts in
            try invocation.write(try await accounts.tokenTable())
        }
    }

    static let revokeToken = Command(
        words: ["tokens", "revoke"], parameters: ["NAME"], options: accountOptions, summary: "Revoke an API token",
        examples: ["cabinet tokens revoke website"]
    ) { invocation in
        let name = try invocation.parameter(0)
        try await invocation.withAccounts { try await $0.revokeToken(name) }
    }

    static let addKey = Command(
        words: ["keys", "add"], parameters: ["NAME"], options: [CLIOption.publicKey] + accountOptions,
        summary: "Add the public key of a server that signs its requests, and print the key's ID",
        details: """
            The key is of ECDSA on P-256, in PEM. To make one: openssl ecparam -name prime256v1 -genkey -noout -out key.pem, then
            openssl ec -in key.pem -pubout -out public.pem. The key reaches the public database, in CloudKit's dialect.
            """,
        examples: ["cabinet keys add importer --public-key public.pem"]
    ) { invocation in
        let name = try invocation.parameter(0)
        guard let file = invocation.option(CLIOption.publicKey) else {
            throw CommandError.usage("No key is given. Use --public-key FILE.")
        }
        let data = try Invocation.data(at: file)
        guard data.count < 65_536 else { throw CommandError.usage("\(file.printable) is too large for a public key.") }
        try await invocation.withAccounts(adds: true) { accounts in
            let key = try await accounts.addKey(name, publicKey: String(decoding: data, as: UTF8.self))
            invocation.console.write(key.keyID)
        }
    }

    static let listKeys = Command(
        words: ["keys", "list"], options: accountOptions, summary: "Print the keys of servers",
        examples: ["cabinet keys list"]
    ) { invocation in
        try await invocation.withAccounts { accounts in
            try invocation.write(try await accounts.keyTable())
        }
    }

    static let revokeKey = Command(
        words: ["keys", "revoke"], parameters: ["NAME"], options: accountOptions,
        summary: "Revoke the key of a server; its records stay",
        examples: ["cabinet keys revoke importer"]
    ) { invocation in
        let name = try invocation.parameter(0)
        try await invocation.withAccounts { try await $0.revokeKey(name) }
    }
}

extension Invocation {
    fileprivate func write(_ table: AccountTable) throws {
        try write(table.columns, table.rows.map { $0.map { JSONValue.string($0) } })
    }

    /// Runs a closure with the accounts of the requested store, or of a server's container.
    ///
    /// - Parameter adds: Whether the command adds something, and so may create the store.
    fileprivate func withAccounts(
        adds: Bool = false, _ work: (AccountStore) async throws -> Void
    ) async throws {
        guard option(CLIOption.configuration) != nil else {
            return try await withBackend(writes: adds) { _, backend in try await work(AccountStore(backend)) }
        }
        let served = try ServeConfiguration(self, container: nil).store(
            of: option(CLIOption.container), isProduction: option(CLIOption.environment).map { _ in try isProduction() }
        )
        do {
            let backend = try backend(at: served.store, mustExist: !adds, schemaName: served.schemaName)
            try await closing(backend.close) { try await work(AccountStore(backend)) }
        } catch {
            throw CommandError(describing: error)
        }
    }
}
