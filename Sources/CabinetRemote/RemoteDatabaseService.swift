public import Cabinet
public import CabinetWire
public import Foundation

/// A service whose records are on a server, in Cabinet's own dialect.
///
/// It acts for the user of its credentials; a ``/Cabinet/Caller`` of another user is refused.
public final class RemoteDatabaseService: DatabaseService {
    private let container: WireContainer
    private let address: ServerAddress
    private let credentials: Credentials
    private let transport: RemoteTransport
    private let signals: RemoteSignals
    private let maximumResponseSize: Int

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - server: The address of the server, with `https`, or `http` for a server on the same machine.
    ///   - container: The container and its environment.
    ///   - credentials: The user.
    ///   - configuration: The limits of waiting.
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the address is not one of a server.
    public init(
        server: URL, container: WireContainer, credentials: Credentials,
        configuration: RemoteConfiguration = RemoteConfiguration()
    ) throws {
        self.container = container
        self.credentials = credentials
        maximumResponseSize = configuration.maximumResponseSize
        address = try ServerAddress(
            server, allowsUnencrypted: configuration.allowsUnencrypted, hasSecret: credentials.token != nil)
        transport = RemoteTransport(configuration)
        signals = RemoteSignals(address, credentials, configuration)
    }

    deinit {
        transport.close()
        signals.close()
    }

    /// Sends a request, and repeats it where that is harmless.
    ///
    /// - Throws: The errors of the server; ``/Cabinet/CabinetError/Code/networkUnavailable`` if it cannot be reached,
    ///   ``/Cabinet/CabinetError/Code/networkFailure`` if the connection broke,
    ///   ``/Cabinet/CabinetError/Code/serverResponseLost`` if either happened after the server may have changed something, and
    ///   ``/Cabinet/CabinetError/Code/limitExceeded`` for an answer of more bytes than ``RemoteConfiguration/maximumResponseSize``.
    public func perform<Request: ServiceRequest>(
        _ request: Request, for caller: Caller
    ) async throws -> Request.Response {
        var request = request
        var effect = Request.effect
        if var save = request as? ModifyRecordsRequest {
            save.requestID = save.requestID ?? UUID()
            request = save as? Request ?? request
            effect = .idempotent
        }
        let body = try Request.coding.encode(request)
        let response = try await send(
            .request(Request.name, in: container), body: Data(body), for: caller, effect: effect,
            contentType: "application/json")
        do {
            return try Request.Response.coding.decode(Array(response))
        } catch {
            throw CabinetError(
                effect == .none ? .internalError : .serverResponseLost,
                "The server's answer to '\(Request.name)' cannot be read. Is its version another one?",
                underlyingError: error)
        }
    }

    private func send(
        _ route: CabinetRoute, body: Data? = nil, for caller: Caller, effect: RequestEffect = .none,
        contentType: String? = nil, size: Int? = nil
    ) async throws -> Data {
        let id = UUID().uuidString
        let answer = RemoteTransport.Answer(contentType: contentType, size: size ?? maximumResponseSize)
        return try await transport.send(effect: effect, answer: answer) {
            try await address.request(route, body: body, for: caller, credentials, id: id)
        } failure: {
            RemoteFailure($0, try? CabinetError.coding.decode(Array($0.body)), effect)
        }.body
    }

    /// Sends bytes of an upload.
    ///
    /// - Throws: The errors of ``perform(_:for:)``, and of ``/Cabinet/DatabaseService/send(_:to:at:for:)``.
    public func send(_ bytes: Data, to upload: UUID, at offset: Int64, for caller: Caller) async throws {
        _ = try await send(.send(to: upload, at: offset, in: container), body: bytes, for: caller)
    }

    /// Reads bytes of an asset.
    ///
    /// - Throws: The errors of ``perform(_:for:)``, and of ``/Cabinet/DatabaseService/bytes(of:of:in:scope:for:)``.
    public func bytes(
        of asset: StoredAsset, of recordID: RecordID, in range: Range<Int64>, scope: DatabaseScope, for caller: Caller
    ) async throws -> Data {
        let range = AssetRange(asset: asset, recordID: recordID, scope: scope, range: range)
        let bytes = try await send(
            .bytes(range, in: container), for: caller, contentType: "application/octet-stream", size: range.range.count)
        guard bytes.count == range.range.count else {
            throw CabinetError(
                .internalError, "The server gave \(bytes.count) bytes of an asset for \(range.range.count).")
        }
        return bytes
    }

    /// Returns signals, which go on after the server was away.
    ///
    /// After each new connection a signal follows, because changes may have been missed.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/notAuthenticated`` for another database than the public one without a user.
    public func signals(of scopes: [DatabaseScope], for caller: Caller) throws -> AsyncStream<Void> {
        if caller.account == nil, scopes.contains(where: { $0 != .public }) {
            throw CabinetError(
                .notAuthenticated,
                "Without a user, only the public database can be read. Create the container with credentials.")
        }
        return signals.stream(.signals(scopes, in: container), for: caller)
    }

    /// Closes the connections, and ends the signals.
    public func close() async {
        transport.close()
        signals.close()
    }
}
