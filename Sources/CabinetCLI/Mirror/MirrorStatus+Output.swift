import Cabinet
import CabinetMirror
import CabinetTools
import Foundation
import TerminalProgram

extension Invocation {
    /// Prints a status: a line for a person, or an object.
    func write(_ status: MirrorStatus) throws {
        switch try format() {
        case .table: console.write("\(status)".printable)
        case .json: console.write(JSONValue.object(status.members).description)
        case .csv: throw CommandError.usage("A status has no columns. Use --format table or json.")
        }
    }

    /// Prints the statuses of a mirror that works by itself, until the command is cancelled.
    func follow(_ mirror: MirrorDatabaseService) async throws {
        var last = ""
        for await status in mirror.statuses where "\(status)" != last {
            last = "\(status)"
            try write(status)
        }
    }

    /// Runs fetches and sends, and shows their state while they run.
    func reporting(_ mirror: MirrorDatabaseService, _ work: () async throws -> Void) async throws {
        guard console.isTerminal else { return try await work() }
        let reader = Task { [console] in
            for await status in mirror.statuses { console.writeProgress("\(status)".printable) }
        }
        defer {
            reader.cancel()
            console.endProgress()
        }
        try await work()
    }
}

extension MirrorStatus {
    /// The status as an object.
    fileprivate var members: [JSONValue.Member] {
        func object(_ name: String, _ values: [(String, JSONValue)] = []) -> [JSONValue.Member] {
            ([("status", .string(name))] + values).map { JSONValue.Member(key: $0.0, value: $0.1) }
        }
        return switch self {
        case .starting: object("starting")
        case .idle: object("idle")
        case .fetching(let count, let all):
            object(
                "fetching",
                [("fetched", .integer(Int64(count)))] + (all.map { [("of", .integer(Int64($0)))] } ?? []))
        case .sending(let count, let all):
            object("sending", [("sent", .integer(Int64(count))), ("of", .integer(Int64(all)))])
        case .pending(let count): object("pending", [("pending", .integer(Int64(count)))])
        case .waiting(let date, let pending, let error):
            object(
                "waiting",
                [
                    ("until", .string(date.formatted(.iso8601))), ("pending", .integer(Int64(pending))),
                    ("error", .string(error.message)),
                ])
        case .setAside(let count, let pending):
            object("set aside", [("setAside", .integer(Int64(count))), ("pending", .integer(Int64(pending)))])
        case .missingAssets: object("missing assets")
        }
    }
}

extension MirrorChange {
    static let titles = ["record", "zone", "change", "state", "reason"]

    /// The change as a row below ``titles``.
    var row: [JSONValue] {
        let change = isIncoming ? "incoming" : record == nil ? "delete" : serverRecord == nil ? "create" : "edit"
        let state = error != nil ? "set aside" : waitingFor == nil ? "to send" : "waits"
        let reason = error.map { "\($0.code): \($0.message)" } ?? waitingFor.map { "for \($0.recordName)" } ?? ""
        let zone = databaseScope == .shared ? recordID.zoneID.description : recordID.zoneID.zoneName
        return [recordID.recordName, zone, change, state, reason].map(JSONValue.string)
    }
}
