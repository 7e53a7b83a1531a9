import Cabinet
import CabinetMirror
import CabinetRemote
import CabinetTools
import Foundation
import TerminalProgram

extension Invocation {
    /// Runs a closure with the mirror in the requested store, and closes it.
    ///
    /// - Parameter syncs: Whether the mirror fetches and sends by itself.
    func withMirror(syncs: Bool, _ work: (MirrorDatabaseService) async throws -> Void) async throws {
        do {
            let remote = try mirroredServer.map { try container(on: $0) } ?? containerWithoutServer()
            var configuration = MirrorConfiguration()
            configuration.automaticallySyncs = syncs
            configuration.selection.includesSharedZones = hasFlag(CLIOption.sharedZones)
            let hasServer = option(CLIOption.mirror) != nil
            let (backend, mirror): (any StorageBackend, MirrorDatabaseService)
            do {
                // The first pass creates the store.
                backend = try self.backend(mustExist: !hasServer)
                mirror = try MirrorDatabaseService(mirroring: remote, in: backend, configuration: configuration)
            } catch {
                await remote.close()
                throw error
            }
            try await closing(mirror.close) {
                if !hasServer, let user = remote.caller.account {
                    try await checkIsMirror(mirror, of: user, in: backend)
                }
                try await work(mirror)
            }
        } catch let error as CabinetError where error.code == .zoneBusy {
            // Another process has the lease.
            let wait = error.retryAfterSeconds.flatMap { Int(exactly: $0.rounded(.up)) }
            let advice = wait.map { " Repeat the command in \($0.counted("second"))." } ?? ""
            throw CommandError(.failure, error.shown + advice)
        } catch {
            throw CommandError(describing: error)
        }
    }

    /// A container of the same user that has no server, for what the local store alone can say.
    private func containerWithoutServer() throws -> Container {
        var account = account
        if option(CLIOption.account) == nil {
            let credentials = try credentialsFile().map { try Credentials(contentsOf: $0) } ?? Credentials()
            credentials.userRecordName.map { account = Account(userRecordName: $0) }
        }
        return try Container(identifier: "cabinet", service: NoServer(), account: account)
    }

    /// Throws if the store is not a mirror of a user, whose changes would seem to be sent.
    private func checkIsMirror(
        _ mirror: MirrorDatabaseService, of account: Account, in backend: any StorageBackend
    ) async throws {
        if try await backend.isMirror(of: account) { return }
        // A mirror that has never reached its server has nothing but changes.
        if try await !mirror.pendingChanges(limit: 1).isEmpty { return }
        throw CommandError(
            .notFound,
            "The store is not a mirror of the user '\(account.userRecordName.printable)'. Name its user: --account USER, or "
                + "--credentials FILE")
    }
}

/// A service that no network reaches.
private struct NoServer: DatabaseService {
    private var error: CabinetError { CabinetError(.networkUnavailable, "No server is given. Use --mirror URL.") }

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        throw error
    }

    func send(_ bytes: Data, to upload: UUID, at offset: Int64, for caller: Caller) async throws { throw error }

    func bytes(
        of asset: StoredAsset, of recordID: RecordID, in range: Range<Int64>, scope: DatabaseScope, for caller: Caller
    ) async throws -> Data { throw error }

    func signals(of scopes: [DatabaseScope], for caller: Caller) throws -> AsyncStream<Void> {
        AsyncStream { $0.finish() }
    }

    func close() async {}
}
