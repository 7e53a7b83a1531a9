import Foundation

/// A PgBouncer of the tests' own before a server, reached through a socket in a temporary folder.
///
/// A shell supervises it, and ends it when the tests' end of a pipe closes: when they are done, and also when they crash.
package final class PgBouncer: Sendable {
    /// The lifetime of a server connection for a client.
    package enum Mode: String, Sendable {
        /// As long as the client's connection.
        case session
        /// As long as a transaction.
        case transaction
    }

    private let directory: URL
    private let commands: FileHandle

    /// Starts a pooler.
    ///
    /// - Parameters:
    ///   - server: The server behind it.
    ///   - mode: The lifetime of a server connection for a client.
    ///   - poolSize: The largest number of server connections.
    ///   - program: The path of PgBouncer; `nil` for the installed one.
    package init(before server: PostgresServer, mode: Mode, poolSize: Int = 60, program: String? = nil) throws {
        let tools = try ServerTools()
        guard let program = program ?? Self.installed else {
            throw PostgresServer.Failure(
                description: "PgBouncer is not installed. Run Scripts/setup.sh, which installs it.")
        }
        directory = FileManager.default.temporaryDirectory.appending(path: "cabinet-pb-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let users = directory.appending(path: "users.txt")
        try Data("\"cabinet\" \"\"\n".utf8).write(to: users)
        var settings = """
            [databases]
            * = host=\(server.directory.path) port=\(server.port)
            [pgbouncer]
            listen_addr =
            unix_socket_dir = \(directory.path)
            unix_socket_mode = 0777
            listen_port = 5432
            auth_type = trust
            auth_file = \(users.path)
            pool_mode = \(mode.rawValue)
            max_client_conn = 500
            default_pool_size = \(poolSize)
            pidfile = \(directory.path)/pid
            log_connections = 0
            log_disconnections = 0

            """
        if mode == .transaction, Self.keepsStatements(program) { settings += "max_prepared_statements = 200\n" }
        let file = directory.appending(path: "pgbouncer.ini")
        try Data(settings.utf8).write(to: file)
        for item in [directory, users, file] { try tools.handOver(item) }
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = ["-c", Self.script, "sh", directory.path] + tools.runner + [program, "-q", file.path]
        let input = Pipe()
        shell.standardInput = input
        shell.standardOutput = FileHandle.nullDevice
        commands = input.fileHandleForWriting
        // Other programs that tests start must not keep the pipe open.
        _ = fcntl(commands.fileDescriptor, F_SETFD, FD_CLOEXEC)
        try shell.run()
        try? input.fileHandleForReading.close()
        try waitForStart()
    }

    /// The shell that supervises the pooler, until all writers of its input have closed it.
    private static let script = """
        directory=$1; shift
        trap '' INT TERM HUP PIPE
        cd /
        "$@" </dev/null >"$directory/log" 2>&1 &
        while read -r command; do :; done
        kill -9 $(cat "$directory/pid" 2>/dev/null) $! 2>/dev/null
        rm -rf "$directory"
        """

    private func waitForStart() throws {
        let socket = directory.appending(path: ".s.PGSQL.5432").path
        for _ in 0..<6_000 {
            if Self.accepts(at: socket) { return }
            Thread.sleep(forTimeInterval: 0.01)
        }
        let log = (try? String(contentsOf: directory.appending(path: "log"), encoding: .utf8)) ?? ""
        throw PostgresServer.Failure(description: "PgBouncer did not start: \(log.suffix(1000))")
    }

    /// Whether a program accepts connections at a socket, whose file exists a moment before.
    private static func accepts(at path: String) -> Bool {
        #if os(Linux)
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        defer { _ = Foundation.close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }

    /// A connection string for the pooler.
    package var connection: String {
        let socket = directory.path.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return "postgresql://cabinet@\(socket)/postgres"
    }

    /// Ends the pooler.
    package func close() {
        try? commands.close()
    }

    /// The path of the program that tests of transaction pooling use: the installed one, or the one of the environment.
    package static var program: String? { ProcessInfo.processInfo.environment["CABINET_PGBOUNCER"] ?? installed }

    /// Whether a program keeps the prepared statements of its clients apart in transaction mode, as version 1.21 and later do.
    package static func keepsStatements(_ program: String?) -> Bool {
        guard let program else { return false }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["--version"]
        let output = Pipe()
        process.standardOutput = output
        guard (try? process.run()) != nil else { return false }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let numbers = text.split(whereSeparator: { !$0.isNumber }).prefix(2).compactMap { Int($0) }
        return numbers.count == 2 && (numbers[0], numbers[1]) >= (1, 21)
    }

    private static var installed: String? {
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return (path + ["/usr/sbin", "/usr/local/bin", "/opt/homebrew/bin"]).map { "\($0)/pgbouncer" }
            .first(where: FileManager.default.isExecutableFile)
    }
}
