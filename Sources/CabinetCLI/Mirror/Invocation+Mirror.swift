import Cabinet
import CabinetMirror
import CabinetRemote
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
            let mirror: MirrorDatabaseService
            do {
                // The first pass creates the store.
                let backend = try backend(mustExist: option(CLIOption.mirror) == nil)
                mirror = try MirrorDatabaseService(mirroring: remote, in: backend, configuration: configuration)
            } catch {
                await remote.close()
                throw error
            }
            do {
                try await work(mirror)
            } catch {
                await mirror.close()
                throw error
            }
            await mirror.close()
        } catch let error as CabinetError where error.code == .operationCancelled && !Task.isCancelled {
            // Another process has the lease.
            throw CommandError(.failure, error.shown)
        } catch {
            throw CommandError(describing: error)
        }
    }

    /// A container of the same user that has no server, for what the local store alone can say.
    private func containerWithoutServer() throws -> Container {
        let file = try credentialsFile()
        let credentials = try? file.map { try Credentials(contentsOf: $0) } ?? Credentials()
        let name = option(CLIOption.account) ?? credentials?.userRecordName ?? Account.default.userRecordName
        return try Container(
            identifier: "cabinet", service: NoServer(), account: Account(userRecordName: name))
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
