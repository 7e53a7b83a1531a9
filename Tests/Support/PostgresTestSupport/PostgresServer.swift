package import Foundation

/// A PostgreSQL server of the tests' own: a cluster in a temporary folder, reached through a socket in it and not
/// through the network.
///
/// It never runs as root. A shell supervises it, and stops the server and removes the folder when the tests' end of a
/// pipe closes: when they are done, and also when they crash.
package final class PostgresServer: Sendable {
    /// The folder of the cluster and of its socket.
    package let directory: URL
    /// The port of the server, which names its socket.
    package let port: UInt16
    private let tools: ServerTools
    private let commands: FileHandle
    private let answers: FileHandle

    /// The reason that the server is missing.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        /// A failure with a reason.
        package init(description: String) { self.description = description }
    }

    /// The server that most tests share; it promises no durability.
    package static let shared = Task { try await PostgresServer(isDurable: false) }

    /// Creates a cluster and starts its server.
    ///
    /// - Parameters:
    ///   - isDurable: Whether commits wait for the disk.
    ///   - certificate: A certificate and its key, as PEM, with which the server also listens on a free port of this
    ///     machine.
    ///   - settings: Further settings of the server, in which `{directory}` stands for its folder.
    ///   - primary: The server that this one is a standby of.
    package init(
        isDurable: Bool, certificate: Data? = nil, settings: [String] = [], standbyOf primary: PostgresServer? = nil
    ) async throws {
        tools = try ServerTools()
        directory = FileManager.default.temporaryDirectory.appending(path: "cabinet-pg-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try tools.handOver(directory)
        var network = "-c listen_addresses="
        if let certificate {
            let file = directory.appending(path: "server.pem")
            try certificate.write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            try tools.handOver(file)
            port = try Self.freePort()
            network =
                "-c listen_addresses=127.0.0.1 -c port=\(port) -c ssl=on -c ssl_cert_file=\(file.path) "
                + "-c ssl_key_file=\(file.path)"
        } else {
            port = 5432
        }
        let further = settings.map { [directory] setting in
            " -c " + setting.replacing("{directory}", with: directory.path)
        }.joined()
        let durability =
            isDurable
            ? "-c fsync=on"
            : "-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c autovacuum=off -c max_wal_size=8GB"
        let options =
            "-k \(directory.path) \(network) -c max_connections=300 -c shared_buffers=64MB "
            + "-c unix_socket_permissions=0777 -c max_locks_per_transaction=256 -c log_min_messages=fatal \(durability)"
            + further
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments =
            ["-c", Self.script, "sh", directory.path, tools.binaries.path, options, primary?.directory.path ?? ""]
            + tools.runner
        let input = Pipe()
        let output = Pipe()
        shell.standardInput = input
        shell.standardOutput = output
        commands = input.fileHandleForWriting
        answers = output.fileHandleForReading
        // Other programs that tests start must not keep the pipe open.
        _ = fcntl(commands.fileDescriptor, F_SETFD, FD_CLOEXEC)
        try shell.run()
        try? input.fileHandleForReading.close()
        try? output.fileHandleForWriting.close()
        try await expectStart()
    }

    /// The shell that supervises the server: it accepts commands until all writers of its input have closed it.
    private static let script = """
        directory=$1; binaries=$2; options=$3; primary=$4; shift 4
        trap '' INT TERM HUP PIPE
        exec 2>/dev/null
        cd /
        start() {
            "$@" "$binaries/pg_ctl" -D "$directory/data" -l "$directory/server.log" -w -t 60 -o "$options" start \
                </dev/null >/dev/null 2>&1 && echo started || echo failed
        }
        stop() {
            mode=$1; shift
            "$@" "$binaries/pg_ctl" -D "$directory/data" -m "$mode" -w stop </dev/null >/dev/null 2>&1
        }
        if [ -n "$primary" ]; then
            "$@" "$binaries/pg_basebackup" -h "$primary" -U cabinet -D "$directory/data" -c fast -R \
                </dev/null >"$directory/initdb.log" 2>&1 && start "$@" || echo failed
        elif "$@" "$binaries/initdb" -D "$directory/data" -U cabinet -A trust -E UTF8 --locale=C --no-sync \
            </dev/null >"$directory/initdb.log" 2>&1
        then
            printf 'local secured all scram-sha-256\\nlocal all all trust\\nlocal replication all trust\\nhost all all 127.0.0.1/32 trust\\n' > "$directory/data/pg_hba.conf"
            start "$@"
        else
            echo failed
        fi
        while read -r command; do
            case $command in
            immediate|fast) stop "$command" "$@"; start "$@" ;;
            down) stop immediate "$@"; echo started ;;
            up) start "$@" ;;
            promote)
                "$@" "$binaries/pg_ctl" -D "$directory/data" -w promote </dev/null >/dev/null 2>&1 \
                    && echo started || echo failed ;;
            backup)
                rm -rf "$directory/backup"
                "$@" "$binaries/pg_basebackup" -h "$directory" -U cabinet -D "$directory/backup" -c fast \
                    </dev/null >/dev/null 2>&1 && echo started || echo failed ;;
            restore|recover)
                stop immediate "$@"
                "$@" rm -rf "$directory/data"
                "$@" cp -a "$directory/backup" "$directory/data"
                if [ "$command" = recover ]; then
                    "$@" touch "$directory/data/recovery.signal"
                    # Nobody connects before the recovery has ended.
                    printf "restore_command = 'false'\\nhot_standby = off\\n" >> "$directory/data/postgresql.auto.conf"
                fi
                start "$@" ;;
            esac
        done
        stop immediate "$@"
        # A process that is about to end may still write.
        for attempt in 1 2 3 4 5 6 7 8 9; do
            rm -rf "$directory"
            [ -e "$directory" ] || break
            sleep 1
        done
        """

    /// A port that no program listens on.
    package static func freePort() throws -> UInt16 {
        #if os(Linux)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 && getsockname(descriptor, pointer, &length) == 0
            }
        }
        guard isBound else { throw Failure(description: "This machine has no free port.") }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Stops the server in the given way, and starts it again.
    package func restart(_ mode: Mode) async throws { try await tell(mode.rawValue) }

    /// The way to stop a server.
    package enum Mode: String {
        /// At once, as in a crash.
        case immediate
        /// After ending all connections.
        case fast
    }

    /// Stops the server as in a crash, without a restart.
    package func goDown() async throws { try await tell("down") }

    /// Starts the server again.
    package func comeUp() async throws { try await tell("up") }

    /// Turns a standby into a primary.
    package func promote() async throws { try await tell("promote") }

    /// Creates a base backup, while the server runs.
    package func backUp() async throws { try await tell("backup") }

    /// Stops the server, replaces its data by the base backup, and starts it.
    ///
    /// - Parameter isRecovery: Whether the server ends a recovery, which begins a timeline of PostgreSQL's. Otherwise
    ///   it starts as after a crash, as from a snapshot of the disk.
    package func restoreBackup(isRecovery: Bool) async throws { try await tell(isRecovery ? "recover" : "restore") }

    private func tell(_ command: String) async throws {
        try commands.write(contentsOf: Data("\(command)\n".utf8))
        try await expectStart()
    }

    private func expectStart() async throws {
        let answers = answers
        let answer = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: answers.availableData) }
        }
        guard String(decoding: answer, as: UTF8.self).contains("started") else {
            let log = ["initdb.log", "server.log"].map {
                (try? String(contentsOf: directory.appending(path: $0), encoding: .utf8)) ?? ""
            }.joined()
            throw Failure(description: "The PostgreSQL server did not start: \(log.suffix(2000))")
        }
    }

    /// Creates a database for one test, for programs that choose their schemas themselves.
    ///
    /// - Returns: A connection string for it.
    package func newDatabase() async throws -> String {
        let name = "test_\(UUID().uuidString.lowercased())"
        try await run("createdb", [name])
        return connection(database: name)
    }

    /// Runs one of PostgreSQL's programs against the server.
    ///
    /// - Parameters:
    ///   - program: The program, such as `pg_dump`.
    ///   - arguments: Its arguments besides the host and the user.
    ///   - output: The file for its output.
    package func run(
        _ program: String, _ arguments: [String], output: FileHandle = .nullDevice
    ) async throws {
        let process = Process()
        process.executableURL = tools.binaries.appending(path: program)
        process.arguments = ["-h", directory.path, "-U", "cabinet"] + arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in ended.resume() }
            do { try process.run() } catch { ended.resume(throwing: error) }
        }
        guard process.terminationStatus == 0 else {
            throw Failure(description: "\(program) \(arguments.joined(separator: " ")) failed.")
        }
    }

    /// The server's main process; `nil` while it is down.
    package var process: Int? {
        let file = directory.appending(path: "data/postmaster.pid")
        return (try? String(contentsOf: file, encoding: .utf8))?.split(separator: "\n").first.flatMap { Int($0) }
    }

    /// The size of the server's log in bytes.
    package var logSize: UInt64 {
        get throws { try FileHandle(forReadingFrom: logFile).seekToEnd() }
    }

    /// Returns the server's log from an offset on.
    package func log(from offset: UInt64) throws -> String {
        let file = try FileHandle(forReadingFrom: logFile)
        try file.seek(toOffset: offset)
        return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    }

    private var logFile: URL { directory.appending(path: "server.log") }

    /// A connection string for the server.
    package func connection(user: String = "cabinet", password: String? = nil, database: String = "postgres") -> String
    {
        let socket = directory.path.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let secret =
            password.map { ":" + ($0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "") } ?? ""
        return "postgresql://\(user)\(secret)@\(socket)/\(database)"
    }
}
