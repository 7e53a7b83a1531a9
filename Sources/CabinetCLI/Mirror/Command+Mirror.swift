import Cabinet
import CabinetMirror
import CabinetTools
import Foundation
import TerminalProgram

extension Command {
    static let mirror = Command(
        words: ["mirror"], options: [CLIOption.mirror, CLIOption.follow, CLIOption.sharedZones],
        summary: "Fetch from a server what it has, send what it lacks, and print the status",
        details: """
            --store is the local store, and --mirror the server, whose user the credentials name. One pass fetches, sends, and fetches
            what others have changed in between; with --follow, it goes on until Ctrl-C. Without --mirror, the status is that of the
            local store. A change that the server refuses is set aside: cabinet mirror pending shows why.

            Other commands, such as save, edit, import and browse, change the local store of the user that --account names. The next pass
            sends these changes.
            """,
        examples: [
            "cabinet mirror --store ~/notes --mirror https://records.example.com --container com.example.notes",
            "cabinet mirror --store ~/notes --mirror https://records.example.com --follow",
            "cabinet mirror --store ~/notes --format json",
        ]
    ) { invocation in
        let follows = invocation.hasFlag(CLIOption.follow)
        let hasServer = invocation.option(CLIOption.mirror) != nil
        if follows, !hasServer { throw CommandError.usage("--follow needs the server: --mirror URL.") }
        try await invocation.withMirror(syncs: follows) { mirror in
            if follows { return try await invocation.follow(mirror) }
            if hasServer {
                try await invocation.reporting(mirror) {
                    do {
                        try await mirror.fetchChanges()
                    } catch CabinetError.Code.quotaExceeded {
                        // A full disk does not keep changes from the server, and the next fetch throws.
                    }
                    try await mirror.sendChanges()
                    try await mirror.fetchChanges()
                }
            }
            let status = try await mirror.readStatus()
            try invocation.write(status)
            if case .setAside = status {
                throw CommandError(
                    .different, "Changes are set aside. To see why: cabinet mirror pending --store STORE")
            }
        }
    }

    static let pendingChanges = Command(
        words: ["mirror", "pending"], options: [CLIOption.sharedZones],
        summary: "List the changes that were not sent, and those that are set aside with the reason",
        details: """
            An incoming change is a version of the server that the local store cannot hold, such as one with a field of another type.
            Without --mirror, the user is that of --account or of the credentials, and the command fails if the store is not a mirror of it.
            """,
        examples: ["cabinet mirror pending --store ~/notes --account _anna", "cabinet mirror pending --format json"]
    ) { invocation in
        let isTable = try invocation.format() == .table
        try await invocation.withMirror(syncs: false) { mirror in
            var rows: [[JSONValue]] = []
            for scope in mirror.databaseScopes {
                var last: RecordID?
                while case let page = try await mirror.pendingChanges(in: scope, after: last),
                    let id = page.last?.recordID
                {
                    rows += page.map(\.row)
                    last = id
                    if isTable { continue }
                    try invocation.write(MirrorChange.titles, rows)
                    rows = []
                }
            }
            if isTable { try invocation.write(MirrorChange.titles, rows) }
        }
    }

    static let retryChanges = Command(
        words: ["mirror", "retry"], parameters: ["[NAME…]"], options: [CLIOption.all, CLIOption.sharedZones],
        summary: "Send changes again that are set aside, over the version that the server has",
        details: "They are sent with the next pass. If the server has deleted their zone, it is created again.",
        examples: ["cabinet mirror retry note-1 note-2 --zone Notes", "cabinet mirror retry --all"]
    ) { invocation in
        try await invocation.decide { try await $0.retry($1, in: $2) }
    }

    static let discardChanges = Command(
        words: ["mirror", "discard"], parameters: ["[NAME…]"], options: [CLIOption.all, CLIOption.sharedZones],
        summary: "Drop changes that were not sent: the records have the server's content again",
        details: "--all drops those that are set aside. A record that the server does not have is deleted.",
        examples: ["cabinet mirror discard note-1 --zone Notes", "cabinet mirror discard --all"]
    ) { invocation in
        try await invocation.decide { try await $0.discard($1, in: $2) }
    }
}

extension CLIOption {
    static let mirror = Option(
        name: "--mirror", value: "URL", summary: "The server that the store mirrors: https://HOST")
    static let sharedZones = Option(
        name: "--shared", summary: "Also the zones that other users share with the user")
    static let all = Option(name: "--all", summary: "All changes that are set aside")
}

extension Invocation {
    /// Runs a decision about the changes of the arguments, and prints them.
    fileprivate func decide(
        _ decision: (MirrorDatabaseService, [RecordID], DatabaseScope) async throws -> Void
    ) async throws {
        let isAll = hasFlag(CLIOption.all)
        guard isAll != !arguments.parameters.isEmpty else {
            throw CommandError.usage("Give record names, or --all.")
        }
        try await withMirror(syncs: false) { mirror in
            var changes: [MirrorChange] = []
            if isAll {
                for scope in mirror.databaseScopes {
                    var last: RecordID?
                    while case let page = try await mirror.pendingChanges(in: scope, after: last),
                        let id = page.last?.recordID
                    {
                        changes += page.filter { $0.error != nil }
                        last = id
                    }
                }
            }
            for name in arguments.parameters {
                let id = RecordID(recordName: name, zoneID: zoneID ?? .default)
                var change: MirrorChange?
                for scope in mirror.databaseScopes where change == nil {
                    change = try await mirror.pendingChange(of: id, in: scope)
                }
                guard let change else {
                    throw CommandError(
                        .notFound,
                        "No change of '\(name.printable)' is pending in the zone '\(id.zoneID.zoneName.printable)'.")
                }
                changes.append(change)
            }
            for scope in mirror.databaseScopes {
                try await decision(mirror, changes.filter { $0.databaseScope == scope }.map(\.recordID), scope)
            }
            try write(MirrorChange.titles, changes.map(\.row))
        }
    }
}
