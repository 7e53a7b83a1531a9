import Foundation

/// The location of PostgreSQL's programs, and the user that runs them.
struct ServerTools: Sendable {
    let binaries: URL
    /// The words before a command that run it as a user other than root.
    let runner: [String]
    private let owner: (uid: uid_t, gid: gid_t)?

    init() throws {
        guard let binaries = Self.candidates.first(where: { Self.isThere($0.appending(path: "initdb").path) }) else {
            throw PostgresServer.Failure(
                description: "PostgreSQL's server is not installed. Run Scripts/setup.sh, which installs it.")
        }
        self.binaries = binaries
        guard getuid() == 0 else {
            (runner, owner) = ([], nil)
            return
        }
        let names: [String] = ["postgres", "nobody"]
        let user = names.first { getpwnam($0) != nil }
        guard let user, let entry = getpwnam(user),
            let program = ["/usr/sbin/runuser", "/sbin/runuser", "/usr/bin/runuser"].first(where: Self.isThere)
        else {
            throw PostgresServer.Failure(
                description: "PostgreSQL does not run as root, and this system has no other user.")
        }
        runner = [program, "-u", user, "--"]
        owner = (entry.pointee.pw_uid, entry.pointee.pw_gid)
    }

    /// Gives a folder to the user that the server runs as.
    func handOver(_ directory: URL) throws {
        guard let owner else { return }
        guard chown(directory.path, owner.uid, owner.gid) == 0 else {
            throw PostgresServer.Failure(description: "The folder \(directory.path) cannot be handed over.")
        }
    }

    private static func isThere(_ path: String) -> Bool { FileManager.default.isExecutableFile(atPath: path) }

    /// The newest versions first.
    private static var candidates: [URL] {
        let debian = URL(fileURLWithPath: "/usr/lib/postgresql")
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: debian.path)) ?? []
        let homebrew = ["/opt/homebrew/opt", "/usr/local/opt"].flatMap { prefix in
            ["postgresql@18", "postgresql@17", "postgresql@16", "postgresql"].map { "\(prefix)/\($0)/bin" }
        }
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { debian.appending(path: "\($0)/bin") }
            + (homebrew + ["/usr/pgsql/bin"] + path).map { URL(fileURLWithPath: $0) }
    }
}
