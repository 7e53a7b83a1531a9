import Cabinet
import CabinetTools
import Foundation
import TerminalProgram

extension Command {
    static let zones = Command(
        words: ["zones"], summary: "List the zones of the database", examples: ["cabinet zones --format json"]
    ) { invocation in
        try await invocation.withDatabase { database in
            let zones = try await database.allRecordZones().map(\.zoneID).sorted { $0.zoneName < $1.zoneName }
            try invocation.write(["zone", "owner"], zones.map { [.string($0.zoneName), .string($0.ownerName)] })
        }
    }

    static let addZone = Command(
        words: ["zones", "add"], parameters: ["NAME"], summary: "Add a zone to the database",
        details: "A zone that exists stays unchanged.", examples: ["cabinet zones add Travel"]
    ) { invocation in
        let name = try invocation.parameter(0)
        try await invocation.withDatabase(writes: true) { database in
            try await database.save(RecordZone(zoneName: name))
            invocation.console.write("The zone \(name.printable) is saved.")
        }
    }

    static let subscriptions = Command(
        words: ["subscriptions"], summary: "List the account's subscriptions in the database",
        examples: ["cabinet subscriptions --account _anna"]
    ) { invocation in
        try await invocation.withDatabase { database in
            let rows = try await database.allSubscriptions().sorted { $0.subscriptionID < $1.subscriptionID }.map {
                subscription -> [JSONValue] in
                let type = SubscriptionRule.recordType(of: subscription)
                let filter: String? = if case .query(let query) = subscription { "\(query.filter)" } else { nil }
                return [
                    .string(subscription.subscriptionID), .string("\(subscription.subscriptionType)"),
                    type.map(JSONValue.string) ?? .null, filter.map(JSONValue.string) ?? .null,
                ]
            }
            try invocation.write(["subscription", "kind", "type", "filter"], rows)
        }
    }

    static let changes = Command(
        words: ["changes"], options: [CLIOption.since, CLIOption.follow],
        summary: "Print the changes of a zone, oldest first, and a token for the next call",
        details: "Each line is JSON: {\"saved\":…}, {\"deleted\":…} and at the end of each page {\"token\":…}.",
        examples: ["cabinet changes --zone Shopping", "cabinet changes --since TOKEN --follow"]
    ) { invocation in
        var token: ServerChangeToken?
        if let text = invocation.option(CLIOption.since) {
            token = ServerChangeToken(typed: text)
            if token == nil {
                throw CommandError.usage(
                    "The token cannot be read. Give the text after \"token\" that cabinet changes has printed.")
            }
        }
        try await invocation.withStore { container, database in
            let zoneID = invocation.zoneID ?? .default
            // Signals are awaited from before the first page, so that no change is missed.
            let signals = try container.signals(of: database.databaseScope)
            token = try await invocation.printChanges(of: database, inZoneWith: zoneID, since: token)
            guard invocation.hasFlag(CLIOption.follow) else { return }
            for await _ in signals {
                token = try await invocation.printChanges(of: database, inZoneWith: zoneID, since: token)
            }
        }
    }
}

extension Invocation {
    /// Prints the changes after a token, and returns the token of the last one.
    fileprivate func printChanges(
        of database: Database, inZoneWith zoneID: RecordZone.ID, since token: ServerChangeToken?
    ) async throws -> ServerChangeToken? {
        var token = token
        for try await page in database.recordZoneChangeSequence(inZoneWith: zoneID, since: token) {
            for change in page.modifications {
                let saved = RecordJSON.object(change.record)
                console.write(JSONValue(dictionaryLiteral: ("saved", saved)).description)
            }
            for deletion in page.deletions {
                console.write(
                    RecordJSON.deletion(of: deletion.recordID, recordType: deletion.recordType).description)
            }
            if page.changeToken != token {
                token = page.changeToken
                guard let text = page.changeToken.typed else {
                    throw CommandError(.failure, "The token cannot be printed.")
                }
                console.write(JSONValue(dictionaryLiteral: ("token", .string(text))).description)
            }
        }
        return token
    }
}
