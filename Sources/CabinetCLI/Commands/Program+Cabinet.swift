import TerminalProgram

extension Program {
    static let cabinet: Program = Program(
        name: "cabinet",
        storeSummary:
            "The store: a folder, postgresql://USER@HOST/DATABASE, https://HOST, or icloud:// (default: $CABINET_STORE)",
        summary: "The dashboard of a Cabinet store: record types, schemas, records, changes, transfer and upkeep.",
        commands: [
            .types, .exportSchema, .validateSchema, .diffSchema, .importSchema, .deploySchema,
            .renameSchemaPart, .dropSchemaPart, .resetSchema,
            .query, .count, .explain, .get, .save, .edit, .delete,
            .zones, .addZone, .subscriptions, .changes, .browse, .dashboard, .listShares, .showShare, .acceptShare,
            .leaveShare,
            .listAssets, .getAsset, .assetSizes, .unusedAssets,
            .export, .import, .copy, .backup, .restore, .verify, .compact, .stats,
            .mirror, .pendingChanges, .retryChanges, .discardChanges,
            .serve, .addUser, .changeUser, .listUsers, .disableUser, .enableUser, .signIn, .signOut, .addToken,
            .listTokens,
            .revokeToken, .addKey, .listKeys, .revokeKey,
            .shell(of: { .cabinet }),
            .completion(of: { .cabinet }), .manual(of: { .cabinet }),
        ],
        options: [
            CLIOption.database, CLIOption.zone, CLIOption.account, CLIOption.roles, CLIOption.environment,
            CLIOption.schemaName, CLIOption.container, CLIOption.credentials, CLIOption.allowUnencrypted,
            CLIOption.format,
        ],
        notes: """
            TYPE is a record type, NAME a record name, FILTER a filter in NSPredicate's language, such as "year > 1900".
            JSON is one object on each line. Binary values, dates, references, locations and files are objects such as
            {"reference":"NAME","action":"deleteSelf"}. Arguments after -- are not options.
            """,
        exitCodes: [
            (.success, "done"),
            (.failure, "the store, a file or the output failed, or verify may not read everything; the error says why"),
            (
                .usage,
                "wrong arguments, or an invalid request, which changes nothing; earlier lines of the input stay saved"
            ),
            (.notFound, "the store, record, zone, share or file does not exist"),
            (.different, "the schemas differ, the store is damaged, or changes of a mirror are set aside"),
            (.conflict, "another client has changed the record, which stays; earlier lines of the input stay saved"),
            (.interrupted, "stopped by Ctrl-C or SIGTERM; what was saved before is complete"),
        ],
        describe: CommandError.init(describing:))
}

/// The options of this program.
enum CLIOption {
    static let database = Option(name: "--database", value: "SCOPE", summary: "private or public (default: private)")
    static let zone = Option(
        name: "--zone", value: "ZONE", summary: "The zone (default: all to query, else the default zone)")
    static let account = Option(
        name: "--account", value: "USER", summary: "The user's record name (default: _default_user)")
    static let roles = Option(
        name: "--roles", value: "ROLES", summary: "The user's roles in the public database: Editor,Reader")
    static let environment = Option(
        name: "--environment", value: "NAME",
        summary: "development: saves add types and fields (default); production: they are refused")
    static let schemaName = Option(
        name: "--schema", value: "NAME", summary: "The PostgreSQL schema of the store's tables (default: cabinet)")
    static let container = Option(
        name: "--container", value: "ID",
        summary: "The container of a server, such as com.example.notes (default: $CABINET_CONTAINER)")
    static let credentials = Option(
        name: "--credentials", value: "FILE",
        summary: "A user and a token, or a key, for a server (default: $CABINET_CREDENTIALS)")
    static let allowUnencrypted = Option(
        name: "--allow-unencrypted", summary: "Send the token over http to another machine, in a private network")
    static let format = Option(name: "--format", value: "FORMAT", summary: "table (default), json or csv")
    static let sort = Option(
        name: "--sort", value: "FIELDS", summary: "Sort by fields: name,-year is by name, then by year descending")
    static let limit = Option(
        name: "--limit", value: "N", summary: "At most N records; 0 for all (default: 100 in a table, else all)")
    static let fields = Option(name: "--fields", value: "FIELDS", summary: "These fields only: name,year")
    static let by = Option(name: "--by", value: "FIELD", summary: "Count in groups of equal values of this field")
    static let of = Option(
        name: "--of", value: "FIELD", summary: "Show the sum, the mean and the limits of this field too")
    static let since = Option(
        name: "--since", value: "TOKEN", summary: "Only changes after this token, which the last call has printed")
    static let follow = Option(name: "--follow", summary: "Wait for more changes until Ctrl-C")
    static let type = Option(name: "--type", value: "TYPE", summary: "The type of a new record")
    static let create = Option(name: "--create", summary: "Refuse to change an existing record")
    static let dryRun = Option(name: "--dry-run", summary: "Show the difference alone")
    static let from = Option(name: "--from", value: "STORE", summary: "Take the schema of this store instead of a file")
    static let strict = Option(name: "--strict", summary: "Refuse Cabinet's additions, as CloudKit does")
    static let systemFields = Option(
        name: "--system-fields", summary: "Print also system fields without options, as Apple's tool does")
    static let ignoreUnenforced = Option(
        name: "--ignore-unenforced",
        summary: "Accept parts of the schema that the store does not enforce, such as ON DELETE")
    static let losingAtMost = Option(
        name: "--losing-at-most", value: "N", summary: "Drop without a question, with at most N records or values")
    static let replace = Option(name: "--replace", summary: "Keep the old store under another name")
    static let toSchema = Option(
        name: "--to-schema", value: "NAME",
        summary: "The PostgreSQL schema of the new store (default: that of --schema)")
    static let remove = Option(name: "--remove", summary: "Remove the files of interrupted programs")
    static let repair = Option(name: "--repair", summary: "Repair what can be repaired without loss")
}
