import Cabinet
import CabinetMirror
import CabinetRemote
import CabinetSQLite
import Foundation
import ProgramTestSupport
import Testing

/// `cabinet mirror` as a process, whose server is another one.
@Suite("Mirroring by command", .serialized)
struct MirrorCommandTests {
    @Test(
        "A first fetch takes the same memory for many records, shows of how many, and goes on after a kill",
        .timeLimit(.minutes(15)))
    func firstFetch() async throws {
        let server = try await RestartedServer()
        let command = try await MirrorCommand(server)
        // The figures of the article are those of 100,000.
        let count = ProcessInfo.processInfo.environment["CABINET_FIRST_FETCH"].flatMap { Int($0) } ?? 12_000
        var peaks: [Int] = []
        for (start, end) in [(0, count / 4), (count / 4, count)] {
            try await server.fill(start..<end)
            let pass = try command.start([], in: "device-\(end)")
            peaks.append(try await pass.peakMemory())
            #expect(pass.status == 0 && pass.output.last == "up to date", "\(pass.output)")
        }
        print("The first fetch of \(count / 4) and \(count) records takes \(peaks.map { $0 >> 20 }) MiB at most.")
        #expect(peaks[1] - peaks[0] < 12 << 20)

        let killed = try command.start(["--follow", "--format", "json"], in: "killed")
        let last = try #require(try await killed.wait { $0.fetched > count / 3 })
        kill(killed.processID, SIGKILL)
        try await killed.end()
        #expect(last.of == count, "\(killed.output)")
        let next = try command.start(["--follow", "--format", "json"], in: "killed")
        let first = try #require(try await next.wait { $0.fetched > 0 })
        #expect(first.fetched > count / 3 && first.of == count, "\(first) after \(last)")
        #expect(try await next.wait(for: "{\"status\":\"idle\"}"))
        kill(next.processID, SIGTERM)
        try await next.end()
        let device = try command.container("killed")
        #expect(try await device.privateDatabase.count(matching: Query(recordType: "Notes")) == count)
        await device.close()
        try await server.end()
    }

    @Test("Changes by other commands in the store of a mirror are pending, and the next pass sends them")
    func localCommands() async throws {
        let server = try await RestartedServer()
        let command = try await MirrorCommand(server)
        #expect(try await command.pass([]) == "up to date")
        let device = ["--store", server.folder.path("device"), "--account", server.user]
        try await command.output(["save", "first", "--type", "Notes", "text=local"] + device)
        let lines = #"{"recordName":"second","recordType":"Notes","fields":{"text":"imported"}}"# + "\n"
        try await command.output(["import", try server.folder.write(lines, to: "notes.jsonl")] + device)
        #expect(try await command.mirror([]) == "2 changes to send")
        #expect(try await command.pass([]) == "up to date")
        let remote = try server.client()
        #expect(try await remote.privateDatabase.record(for: "first")["text"] as? String == "local")
        #expect(try await remote.privateDatabase.record(for: "second")["text"] as? String == "imported")
        try await command.output(["delete", "second"] + device)
        // In production, a save adds no field, in the store of a mirror either.
        try await command.output(["save", "first", "other=1", "--environment", "production"] + device, status: 2)
        try await command.output(["save", "third", "--type", "Notes", "--database", "public"] + device, status: 2)
        // The server's schema decides.
        for words in [
            ["rename", "Notes.text", "title"], ["drop", "Notes.text"], ["drop", "Notes.text", "--losing-at-most", "2"],
        ] {
            try await command.output(["schema"] + words + device, status: 1)
        }
        try await command.output(["schema", "rename", "Notes", "Memos", "--database", "public"] + device, status: 2)
        #expect(try await command.mirror([]) == "1 change to send")
        #expect(try await command.pass([]) == "up to date")
        #expect(try await remote.privateDatabase.records(for: ["second"])["second"]?.code == .unknownItem)
        await remote.close()
        try await server.end()
    }

    @Test("Without the user's name or credentials, and in a store that is not a mirror, no change seems to be sent")
    func otherUser() async throws {
        let server = try await RestartedServer()
        let command = try await MirrorCommand(server)
        let device = ["--store", server.folder.path("device")]
        #expect(try await command.pass([]) == "up to date")
        let user = ["--account", server.user]
        try await command.output(["save", "first", "--type", "Notes", "text=local"] + device + user)
        #expect(try await command.output(["mirror"] + device + user) == "1 change to send")
        for words in [[], ["pending"], ["discard", "--all"]] {
            try await command.output(["mirror"] + words + device, status: 3)
            try await command.output(["mirror"] + words + ["--store", server.store] + user, status: 3)
        }
        let broken = try server.folder.write("{}", to: "broken.json")
        chmod(broken, 0o600)
        try await command.output(["mirror", "--credentials", broken] + device, status: 2)
        #expect(try await command.output(["mirror"] + device + user) == "1 change to send")
        try await server.end()
    }

    @Test(
        "Zones of other users are mirrored with --shared, and what the end of a share prevents is set aside",
        .timeLimit(.minutes(3)))
    func sharedZones() async throws {
        let server = try await RestartedServer()
        let command = try await MirrorCommand(server)
        let (owner, ownerName) = try await server.client(of: "ben")
        let own = RecordZone.ID(zoneName: "Groceries")
        try await owner.privateDatabase.save(RecordZone(zoneID: own))
        var note = Record(recordType: "Notes", recordID: RecordID(recordName: "a", zoneID: own))
        note["text"] = "1"
        try await owner.privateDatabase.save(note)
        var share = Share(recordZoneID: own)
        share.addParticipant(Share.Participant(userRecordName: server.user, permission: .readWrite))
        share = try await owner.privateDatabase.save(share)
        let url = try #require(share.url?.absoluteString)
        try await command.output(["shares", "accept", url, "--store", server.url.absoluteString] + command.user)

        let id = RecordID(
            recordName: "a", zoneID: RecordZone.ID(zoneName: own.zoneName, ownerName: ownerName))
        #expect(try await command.pass([]) == "up to date")
        #expect(try await command.text(of: id) == nil)
        #expect(try await command.pass(["--shared"]) == "up to date")
        #expect(try await command.text(of: id) == "1")

        try await command.set("2", of: id)
        #expect(try await command.mirror(["--shared"]) == "1 change to send")
        #expect(try await command.mirror([]) == "up to date")
        let pending = try await command.mirror(["pending", "--shared", "--format", "csv"])
        #expect(pending.contains("Groceries") && pending.hasSuffix(",edit,to send,"), "\(pending)")
        #expect(try await command.pass(["--shared"]) == "up to date")
        #expect(try await owner.privateDatabase.record(for: note.recordID)["text"] as? String == "2")

        try await command.set("3", of: id)
        share = try await owner.privateDatabase.share(forZoneWith: own)
        for participant in share.participants where participant.userRecordName == server.user {
            share.removeParticipant(participant)
        }
        try await owner.privateDatabase.save(share)
        #expect(try await command.pass(["--shared"], status: 5).hasPrefix("1 change set aside"))
        let lost = try await command.mirror(["pending", "--shared", "--format", "csv"])
        #expect(lost.contains(",edit,set aside,") && lost.contains("zoneNotFound"), "\(lost)")
        #expect(try await command.text(of: id) == "3")
        _ = try await command.mirror(["discard", "--all", "--shared"])
        #expect(try await command.pass(["--shared"]) == "up to date")
        #expect(try await command.text(of: id) == nil)
        #expect(try await owner.privateDatabase.record(for: note.recordID)["text"] as? String == "2")
        await owner.close()
        try await server.end()
    }
}

/// `cabinet mirror` for the user of a server, with a device's store.
private struct MirrorCommand {
    let user: [String]
    private let server: RestartedServer
    private let program: Program

    init(_ server: RestartedServer) async throws {
        self.server = server
        program = try Program.built("cabinet")
        let file = server.folder.path("user.json")
        user = ["--credentials", file, "--container", RestartedServer.container]
        try await output(["users", "sign-in", "ann", "--to", file, "--store", server.store])
    }

    @discardableResult
    func output(_ words: [String], status: Int32 = 0) async throws -> String {
        let outcome = try await program.run(words, in: server.folder)
        try #require(outcome.status == status, "\(words): \(outcome.output)\(outcome.errors)")
        return outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Runs `cabinet mirror` without the server.
    func mirror(_ words: [String]) async throws -> String {
        try await output(["mirror"] + words + ["--store", server.folder.path("device")] + user)
    }

    /// Fetches and sends.
    func pass(_ words: [String], status: Int32 = 0) async throws -> String {
        let store = ["--store", server.folder.path("device"), "--mirror", server.url.absoluteString]
        return try await output(["mirror"] + words + store + user, status: status)
    }

    /// Starts `cabinet mirror` with the server, in a store of its own.
    func start(_ words: [String], in name: String) throws -> MirrorProcess {
        let store = ["--store", server.folder.path(name), "--mirror", server.url.absoluteString]
        return try MirrorProcess(["mirror"] + words + store + user, in: server.folder)
    }

    /// Opens the store of a device, which does not fetch or send here.
    func container(_ name: String) throws -> Container {
        var configuration = MirrorConfiguration()
        configuration.automaticallySyncs = false
        configuration.selection.includesSharedZones = true
        return try Container(
            mirroring: server.client(), in: SQLiteBackend(directory: URL(filePath: server.folder.path(name))),
            configuration: configuration)
    }

    /// Returns the text of a shared record on the device; `nil` without the record or its zone.
    func text(of id: RecordID) async throws -> String? {
        let container = try container("device")
        let result = try await container.sharedDatabase.records(for: [id])[id]
        await container.close()
        return (try? result?.get())?["text"]
    }

    /// Changes a shared record on the device.
    func set(_ text: String, of id: RecordID) async throws {
        let container = try container("device")
        var record = try await container.sharedDatabase.record(for: id)
        record["text"] = text
        try await container.sharedDatabase.save(record)
        await container.close()
    }
}

extension RestartedServer {
    /// Creates a client of a new user, and returns the user's record name.
    fileprivate func client(of name: String) async throws -> (Container, userRecordName: String) {
        let (program, file) = (try Program.built("cabinet"), folder.path("\(name).json"))
        for words in [["add", name], ["sign-in", name, "--to", file]] {
            let outcome = try await program.run(["users"] + words + ["--store", store], in: folder)
            try #require(outcome.status == 0, "\(outcome.errors)")
        }
        let credentials = try Credentials(contentsOf: URL(filePath: file))
        let client = try Container(identifier: Self.container, server: url, credentials: credentials)
        return (client, try #require(credentials.userRecordName))
    }

    /// Saves notes in the store, beside the server.
    fileprivate func fill(_ numbers: Range<Int>) async throws {
        let container = try Container(
            identifier: Self.container, backend: SQLiteBackend(directory: URL(filePath: store)),
            account: Account(userRecordName: user))
        for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 1_000) {
            let records = (start..<min(start + 1_000, numbers.upperBound)).map { number in
                var record = Record(recordType: "Notes", recordID: RecordID(recordName: "note-\(number)"))
                record["text"] = "The text of the note number \(number)"
                record["number"] = number
                return record
            }
            try await container.privateDatabase.save(records)
        }
        await container.close()
    }
}

/// A running `cabinet mirror`, whose output is in a file.
private final class MirrorProcess {
    private let process = Process()
    private let file: String

    init(_ arguments: [String], in folder: TemporaryFolder) throws {
        file = try folder.write("", to: "\(UUID().uuidString).out")
        process.executableURL = try Program.built("cabinet").executable
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(forWritingAtPath: file)
        try withoutBlockedSignals { try process.run() }
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    var processID: Int32 { process.processIdentifier }

    var status: Int32 { process.isRunning ? -1 : process.terminationStatus }

    var output: [String] {
        ((try? String(contentsOfFile: file, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }

    func end() async throws {
        while process.isRunning { try await Task.sleep(for: .milliseconds(5)) }
    }

    /// Waits for the end of the process, and returns the most memory that it had, in bytes.
    func peakMemory() async throws -> Int {
        var peak = 0
        while process.isRunning {
            peak = max(peak, (try? ServerProcess(id: processID).peakMemory) ?? 0)
            try await Task.sleep(for: .milliseconds(5))
        }
        return peak
    }

    /// The progress of a fetch, as the command prints it.
    struct Progress: Decodable {
        var fetched: Int
        var of: Int?
    }

    /// Waits for a line with a progress, and returns it; `nil` if the process ends before.
    func wait(until isReached: (Progress) -> Bool) async throws -> Progress? {
        while true {
            let isRunning = process.isRunning
            let lines = output.compactMap { try? JSONDecoder().decode(Progress.self, from: Data($0.utf8)) }
            if let line = lines.first(where: isReached) { return line }
            if !isRunning { return nil }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Waits for a line, and returns whether it has come.
    func wait(for line: String) async throws -> Bool {
        while true {
            let isRunning = process.isRunning
            if output.contains(line) { return true }
            if !isRunning { return false }
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}
