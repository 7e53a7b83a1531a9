public import Cabinet
public import CabinetWire
public import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A service whose records are on a server of CloudKit Web Services: Apple's, or one's own.
///
/// It acts for the user of its credentials. Requests that the dialect lacks, such as counts, transactions and live queries, are refused
/// with ``/Cabinet/CabinetError/Code/serverRejectedRequest``, or with the part of a filter that is missing.
public final class CloudKitDatabaseService: DatabaseService {
    let container: WireContainer
    let credentials: CloudKitCredentials
    let configuration: RemoteConfiguration
    let address: ServerAddress
    /// The address before the short GUIDs of shares.
    private let shares: URL?
    let transport: RemoteTransport
    /// For the servers of assets, which are other ones than that of records.
    let assets: RemoteTransport
    /// For polls, which wait for minutes.
    let couriers: RemoteTransport
    let uploads = UploadFiles()
    let urls = Mutex<[StoredAsset: AssetLocation]>([:])
    let signalTasks = SignalTasks()
    private let webToken: Mutex<String?>
    private let foundUser = Mutex<String?>(nil)

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - server: The server.
    ///   - container: The container and its environment.
    ///   - credentials: The server's key, or the user's tokens.
    ///   - configuration: The limits of waiting.
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the address is not one of a server.
    public init(
        server: CloudKitServer, container: WireContainer, credentials: CloudKitCredentials,
        configuration: RemoteConfiguration = RemoteConfiguration()
    ) throws {
        self.container = container
        self.credentials = credentials
        self.configuration = configuration
        address = try ServerAddress(
            server.url, allowsUnencrypted: configuration.allowsUnencrypted, hasSecret: true)
        shares = server.shares
        transport = RemoteTransport(configuration)
        assets = RemoteTransport(configuration)
        var polls = configuration
        (polls.idleTimeLimit, polls.maximumConnections) = (.seconds(600), RemoteSignals.connections)
        couriers = RemoteTransport(polls)
        if case .webToken(_, let token, _) = credentials.kind {
            webToken = Mutex(token)
        } else {
            webToken = Mutex(nil)
        }
    }

    deinit {
        end()
    }

    /// Sends a request, and repeats it where that is harmless.
    ///
    /// A change is not repeated after a broken connection, because the dialect has no IDs of requests.
    ///
    /// - Throws: The errors of the server; ``/Cabinet/CabinetError/Code/notAuthenticated`` if it needs a user, or the credentials are not
    ///   valid; ``/Cabinet/CabinetError/Code/serverRejectedRequest`` if CloudKit has no such request; and the errors of a broken connection
    ///   as ``RemoteDatabaseService`` throws them.
    public func perform<Request: ServiceRequest>(
        _ request: Request, for caller: Caller
    ) async throws -> Request.Response {
        try await request.response(from: try handler(for: caller))
    }

    /// Appends bytes to an upload, which are sent to the server when a request names their record.
    ///
    /// - Throws: The errors of ``/Cabinet/DatabaseService/send(_:to:at:for:)``.
    public func send(_ bytes: Data, to upload: UUID, at offset: Int64, for caller: Caller) async throws {
        try uploads.append(bytes, to: upload, at: offset)
    }

    /// Reads bytes of an asset.
    ///
    /// - Throws: The errors of ``perform(_:for:)``, and of ``/Cabinet/DatabaseService/bytes(of:of:in:scope:for:)``.
    public func bytes(
        of asset: StoredAsset, of recordID: RecordID, in range: Range<Int64>, scope: DatabaseScope, for caller: Caller
    ) async throws -> Data {
        try await read(asset, of: recordID, in: range, scope: scope, for: caller)
    }

    /// Returns signals: after each notification of a subscription, and otherwise every minute.
    ///
    /// A server that refuses a poll is asked again after the time that it says, at most an hour, or after a minute.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/permissionFailure`` or ``/Cabinet/CabinetError/Code/notAuthenticated`` if the credentials do
    ///   not reach a database.
    public func signals(of scopes: [DatabaseScope], for caller: Caller) throws -> AsyncStream<Void> {
        for scope in scopes { try check(scope) }
        return signalTasks.stream { [weak self] onSignal in
            guard let self else { return .closed }
            return await poll(onSignal)
        }
    }

    /// Returns the record name of the user whose web token the credentials have.
    ///
    /// - Throws: The errors of ``perform(_:for:)``.
    public func currentUserRecordName() async throws -> String {
        if let name = userRecordName { return name }
        let response = try await send(.usersCaller, to: .public, body: Array("{}".utf8))
        let name = try response.userRecordName()
        foundUser.withLock { $0 = name }
        return name
    }

    /// Closes the connections, and ends the signals.
    public func close() async { end() }

    private func end() {
        signalTasks.close()
        for transport in [transport, assets, couriers] { transport.close() }
        uploads.close()
    }

    private var userRecordName: String? { credentials.userRecordName ?? foundUser.withLock(\.self) }

    private func handler(for caller: Caller) throws -> CloudKitRequestHandler {
        guard caller.account?.userRecordName == credentials.userRecordName else {
            throw ServerAddress.otherUser
        }
        return CloudKitRequestHandler(self, userRecordName: userRecordName)
    }

    /// Throws if the credentials do not reach a database.
    private func check(_ scope: DatabaseScope) throws(CabinetError) {
        switch credentials.kind {
        case .serverKey where scope != .public:
            throw CabinetError(.permissionFailure, "A server's key reaches the public database alone. Use a web token.")
        case .webToken where scope != .public && webToken.withLock({ $0 == nil }):
            throw CabinetError(
                .notAuthenticated, "Without a web token, only the public database can be read. Have the user sign in.")
        default: break
        }
    }
}

extension CloudKitDatabaseService: CloudKitTransport {
    /// Sends a request of the dialect, with the credentials.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - scope: The database.
    ///   - body: The body, as JSON in UTF-8.
    /// - Returns: The response, which may be an error of the server.
    /// - Throws: The errors of the connection and of a busy server, as ``perform(_:for:)`` does.
    public func send(
        _ operation: CloudKitOperation, to scope: DatabaseScope, body: [UInt8]
    ) async throws -> CloudKitResponse {
        try check(scope)
        let target = CloudKitRoute(operation, in: container, scope: scope).target
        // A repeated upload of an asset, or a second token for notifications, changes nothing.
        let isRepeatable = !operation.changes || [.assetsUpload, .tokensCreate].contains(operation)
        let effect: RequestEffect = isRepeatable ? .none : .once
        var sentToken: String?
        let response = try await transport.send(effect: effect) {
            sentToken = webToken.withLock(\.self)
            return try request(target, Data(body), webToken: sentToken)
        } failure: { response in
            // A handler reads the other failures.
            guard response.status == 429 || response.status >= 500 else { return nil }
            return RemoteFailure(response, response.cloudKit.failure, effect)
        }
        if let sentToken { await replaceToken(sentToken, by: response) }
        return response.cloudKit
    }

    /// Returns the URL of a share on the server's site.
    public func shareURL(of shortGUID: String) -> URL? { shares?.appendingPathComponent(shortGUID) }

    private func request(_ target: RequestTarget, _ body: Data, webToken: String?) throws -> URLRequest {
        var target = target
        if case .webToken(let apiToken, _, _) = credentials.kind {
            target.query.append(.init(name: "ckAPIToken", value: apiToken))
            if let webToken { target.query.append(.init(name: "ckWebAuthToken", value: webToken)) }
        }
        let url = try address.url(of: target)
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = body
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        if case .serverKey(let signer) = credentials.kind {
            let path = url.path(percentEncoded: true)
            for field in try signer.fields(path: path, body: body, date: Date()) {
                request.setValue(field.value, forHTTPHeaderField: field.name)
            }
        }
        return request
    }

    /// Keeps the web token of a response for the next request.
    ///
    /// A response that was slow may have a token that others have replaced. To use that one again would end the sign-in.
    ///
    /// - Parameter sent: The token of the request.
    private func replaceToken(_ sent: String, by response: RemoteResponse) async {
        guard case .webToken(_, _, let onReplacement) = credentials.kind,
            let next = response.value(of: "X-Apple-CloudKit-Web-Auth-Token")
                ?? response.value(of: "X-Apple-CloudKit-Session"), !next.isEmpty
        else { return }
        let isNew = webToken.withLock { token in
            guard token == sent, token != next else { return false }
            token = next
            return true
        }
        if isNew { await onReplacement(next) }
    }
}

extension RemoteResponse {
    /// The response in CloudKit's dialect.
    var cloudKit: CloudKitResponse { CloudKitResponse(status: status, body: Array(body)) }
}
