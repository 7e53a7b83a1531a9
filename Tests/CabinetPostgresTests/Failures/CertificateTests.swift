import Cabinet
import CabinetPostgres
import Foundation
import PostgresTestSupport
import Testing

/// Servers whose certificates are not those that the connection string asks for.
@Suite struct CertificateTests {
    /// Creates a certificate that signs itself, and its key.
    private func certificate(for host: String, in directory: URL) async throws -> URL {
        let file = directory.appending(path: "\(host).pem")
        let key = directory.appending(path: "\(host).key")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=\(host)",
            "-keyout", key.path, "-out", file.path,
        ]
        process.standardError = FileHandle.nullDevice
        try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in ended.resume() }
            do { try process.run() } catch { ended.resume(throwing: error) }
        }
        let both = try Data(contentsOf: file) + Data(contentsOf: key)
        try both.write(to: file)
        return file
    }

    @Test("A certificate of another host, or of another authority, is refused at once", .timeLimit(.minutes(15)))
    func certificates() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "cabinet-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let right = try await certificate(for: "db.example.com", in: directory)
        let wrong = try await certificate(for: "other.example.com", in: directory)
        let server = try await PostgresServer(isDurable: false, certificate: Data(contentsOf: right))
        let missing = directory.appending(path: "missing.pem")

        func read(host: String, trusting file: URL) async throws {
            // A waiting caller would exceed the test's time limit.
            let configuration = PostgresConfiguration(reconnectionTimeLimit: .seconds(3600))
            let backend = try PostgresBackend(
                connection: "host=\(host) hostaddr=127.0.0.1 port=\(server.port) user=cabinet dbname=postgres "
                    + "sslmode=verify-full sslrootcert='\(file.path)'", configuration: configuration)
            defer { Task { await backend.close() } }
            _ = try await backend.read(.public) { try await $0.schema() }
        }

        try await read(host: "db.example.com", trusting: right)
        for (host, file) in [("localhost", right), ("db.example.com", wrong), ("db.example.com", missing)] {
            let error = await #expect(throws: CabinetError.self) { try await read(host: host, trusting: file) }
            #expect(error?.code == .badContainer, "\(error as Any)")
            #expect(error?.message.contains("certificate") == true, "\(error as Any)")
        }
    }
}
