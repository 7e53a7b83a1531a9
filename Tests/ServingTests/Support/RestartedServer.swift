import Cabinet
import CabinetRemote
import Foundation
import ProgramTestSupport
import Synchronization
import Testing

/// A `cabinet serve` with users, which is killed and started again at the same address.
final class RestartedServer: Sendable {
    static let container = "com.example.ledger"

    let folder: TemporaryFolder
    let store: String
    private let configuration: String
    let user: String
    let token: String
    private let running: Mutex<ServingProgram>

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - store: The store; `nil` for a folder of the test's own.
    ///   - limits: Further limits of the configuration file.
    init(store: String? = nil, limits: [String: Int] = [:]) async throws {
        let folder = try TemporaryFolder()
        let store = store ?? folder.path("store")
        (self.folder, self.store) = (folder, store)
        let program = try Program.built("cabinet")
        func output(_ words: String...) async throws -> String {
            let outcome = try await program.run(words + ["--store", store], in: folder)
            try #require(outcome.status == 0, "\(outcome.errors)")
            return outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        user = try await output("users", "add", "ann")
        token = try await output("users", "sign-in", "ann")
        let all = ["userRate": 100_000, "addressRate": 100_000].merging(limits) { $1 }
        configuration = try folder.write(
            String(decoding: try JSONEncoder().encode(["limits": all]), as: UTF8.self), to: "serve.json")
        running = Mutex(
            try await ServingProgram(
                store: store, ["--container", Self.container, "--config", configuration], in: folder))
    }

    var url: URL { running.withLock { $0.url } }

    var port: Int {
        get throws { try #require(url.port) }
    }

    /// The process of the server.
    var processID: Int32 { running.withLock { $0.processID } }

    /// Kills the server, and starts it again.
    func crash(for pause: Duration) async throws {
        let (program, port) = (running.withLock { $0 }, try port)
        _ = try await program.end(SIGKILL)
        try await Task.sleep(for: pause)
        let next = try await ServingProgram(
            store: store, port: port, ["--container", Self.container, "--config", configuration], in: folder)
        running.withLock { $0 = next }
    }

    /// Ends the server as an operator does.
    func end() async throws { #expect(try await running.withLock { $0 }.end(SIGTERM) == 0) }

    /// Creates a client of the server's user.
    ///
    /// - Parameters:
    ///   - url: Another address by which the server is reached, such as that of a proxy.
    ///   - configure: Sets the client's limits.
    func client(
        at url: URL? = nil, configure: (inout RemoteConfiguration) -> Void = { _ in }
    ) throws -> Container {
        var configuration = RemoteConfiguration()
        configure(&configuration)
        return try Container(
            identifier: Self.container, server: url ?? self.url, credentials: .bearer(token, userRecordName: user),
            configuration: configuration)
    }

    /// Expects the store to be undamaged.
    func verify() async throws {
        let outcome = try await Program.built("cabinet").run(["verify", "--store", store], in: folder)
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    }
}
