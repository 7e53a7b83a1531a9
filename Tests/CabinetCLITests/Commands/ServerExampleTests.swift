import Cabinet
import CabinetRemote
import CabinetWire
import Foundation
import PostgresTestSupport
import ProgramTestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// `Examples/Server`: its files work together.
@Suite("The example of a server")
struct ServerExampleTests {
    private static let example = URL(filePath: #filePath)
        .deletingLastPathComponent().appending(path: "../../../Examples/Server").standardizedFileURL

    private static func text(_ name: String) throws -> String {
        try String(contentsOf: example.appending(path: name), encoding: .utf8)
    }

    @Test("serves records, signals and assets behind nginx", .timeLimit(.minutes(15)))
    func proxy() async throws {
        let cabinet = try CabinetProgram()
        let schema = try cabinet.folder.write(
            "DEFINE SCHEMA RECORD TYPE Notes (title STRING QUERYABLE, picture ASSET, GRANT WRITE TO \"_creator\");",
            to: "notes.ckdb")
        try await cabinet.output("schema", "deploy", schema, "--database", "public")
        let name = try await cabinet.output("users", "add", "ann").trimmed
        let token = try await cabinet.output("users", "sign-in", "ann").trimmed
        let configuration = try Self.text("cabinet.json")
            .replacing("/var/lib/cabinet/notes", with: cabinet.store).replacing("127.0.0.1:8080", with: "127.0.0.1:0")
        let server = try await cabinet.serving(
            "--config", try cabinet.folder.write(configuration, to: "cabinet.json"))
        let proxy = try await Proxy(
            try Self.text("nginx.conf"), to: "127.0.0.1:\(try #require(server.url.port))", in: cabinet.folder)

        let container = try Container(
            identifier: "com.example.notes", server: proxy.url, credentials: .bearer(token, userRecordName: name),
            environment: .production)
        let database = container.privateDatabase
        var live = database.observe(Query(recordType: "Notes", filter: .constant(true))).makeAsyncIterator()
        #expect(try await live.next()?.count == 0)
        let bytes = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        var note = Record(recordType: "Notes")
        note["picture"] = Asset(data: bytes)
        try await database.save(note)
        #expect(try await live.next()?.count == 1)
        let saved = try await database.record(for: note.recordID)
        let picture: Asset? = saved["picture"]
        #expect(try await picture?.data() == bytes)
        await container.close()
        #expect(try await server.end(SIGTERM) == 0)
        // The address is that of the client, as nginx has added it.
        #expect(try server.lines().dropFirst().allSatisfy { $0.contains(#""address":"127.0.0.1""#) })
        // Without the server, nginx has an error to log, and the target has a token.
        let target = try #require(URL(string: "\(proxy.url)/?ckWebAuthToken=secret"))
        let (_, response) = try await URLSession.shared.data(from: target)
        #expect((response as? HTTPURLResponse)?.statusCode == 502)
        let log = try String(contentsOf: proxy.log, encoding: .utf8)
        #expect(!log.contains("secret"), "\(log)")
        await proxy.end()
    }

    @Test("has a unit that systemd accepts")
    func unit() async throws {
        let folder = try TemporaryFolder()
        let unit = try Self.text("cabinet.service").replacing("/usr/local/bin/cabinet", with: "/bin/true")
        let path = try folder.write(unit, to: "cabinet.service")
        // A store that is away for long does not end the server, and nginx's user may connect to a socket.
        for line in ["StartLimitIntervalSec=0", "RuntimeDirectory=cabinet", "UMask=0007"] {
            #expect(unit.contains("\n\(line)\n"), "\(line)")
        }
        guard let systemd = Proxy.find("systemd-analyze") else { return }
        let outcome = try await Program(executable: systemd).run(["verify", path], in: folder)
        #expect(outcome.status == 0)
        #expect(!outcome.errors.contains("cabinet.service"), "\(outcome.errors)")
    }
}

/// nginx before a server, with the site of the example.
private final class Proxy: Sendable {
    let url: URL
    let log: URL
    private let process: Process

    static func find(_ name: String) -> URL? {
        ["/usr/sbin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].map { URL(filePath: "\($0)/\(name)") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    /// Starts nginx; without TLS, because the client trusts no certificate of a test.
    init(_ site: String, to server: String, in folder: TemporaryFolder) async throws {
        let nginx = try #require(Self.find("nginx"), "nginx is missing. Run: make setup")
        let root = folder.url.appending(path: "nginx")
        log = root.appending(path: "error.log")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        let port = try PostgresServer.freePort()
        let lines = site.split(separator: "\n").filter { !$0.contains("ssl_certificate") }
        let plain = lines.joined(separator: "\n").replacing("127.0.0.1:8080", with: server)
            .replacing("listen 443 ssl http2", with: "listen 127.0.0.1:\(port)")
            .replacing("/var/log/nginx/error.log", with: log.path)
        let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        let temporary = folders.map { "\($0)_temp_path \(root.path)/\($0);" }
        let configuration = try folder.write(
            """
            daemon off;
            worker_processes 1;
            pid \(root.path)/pid;
            error_log \(log.path);
            events {}
            http { \(temporary.joined(separator: " "))
            \(plain)
            }
            """, to: "nginx.conf")
        process = Process()
        process.executableURL = nginx
        process.arguments = ["-p", root.path, "-c", configuration, "-e", log.path]
        process.standardInput = FileHandle.nullDevice
        try withoutBlockedSignals { [process] in try process.run() }
        url = try #require(URL(string: "http://127.0.0.1:\(port)"))
        for _ in 0..<500 {
            if let (_, response) = try? await URLSession.shared.data(from: url.appending(path: "health")),
                (response as? HTTPURLResponse)?.statusCode == 200
            {
                return
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        let errors = try? String(contentsOf: log, encoding: .utf8)
        Issue.record("nginx does not answer: \(errors ?? "")")
    }

    deinit {
        if process.isRunning { process.terminate() }
    }

    func end() async {
        process.terminate()
        while process.isRunning { try? await Task.sleep(for: .milliseconds(10)) }
    }
}
