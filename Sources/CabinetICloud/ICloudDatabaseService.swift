public import Cabinet
public import CloudKit
import Foundation
import Synchronization

/// A service whose records are in iCloud, by CloudKit's own API.
///
/// It acts for the iCloud account of the device; a ``/Cabinet/Caller`` of another user is refused. A request that CloudKit cannot
/// carry out is refused with ``/Cabinet/CabinetError/Code/serverRejectedRequest``, and a query that it cannot say with
/// ``/Cabinet/CabinetError/Code/invalidArguments`` and the part that is missing. <doc:RecordsInICloud> lists both.
public final class ICloudDatabaseService: DatabaseService, EncryptingService, ZoneChangesService {
    private let container: CKContainer
    private let retryTimeLimit: Duration
    private let account: ICloudAccount
    private let signals: ICloudSignals
    private let assets = ICloudAssets()
    private let systemFields = SystemFieldsCache()
    private let isClosed = Mutex(false)

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - container: CloudKit's container.
    ///   - configuration: The settings.
    public init(_ container: CKContainer, configuration: ICloudConfiguration = ICloudConfiguration()) {
        self.container = container
        retryTimeLimit = configuration.retryTimeLimit
        account = ICloudAccount(container)
        signals = ICloudSignals(container, configuration)
        account.observe()
    }

    deinit {
        signals.close()
        assets.remove()
    }

    /// Carries out a request by CloudKit's operations, and again after a delay that iCloud asks for.
    ///
    /// - Throws: The errors of CloudKit, with the same codes; ``/Cabinet/CabinetError/Code/serverRejectedRequest`` and
    ///   ``/Cabinet/CabinetError/Code/invalidArguments`` for requests and filters that CloudKit lacks;
    ///   ``/Cabinet/CabinetError/Code/incompatibleVersion`` for a value of iCloud that no field can hold.
    public func perform<Request: ServiceRequest>(
        _ request: Request, for caller: Caller
    ) async throws -> Request.Response {
        let end = ContinuousClock.now + retryTimeLimit
        while true {
            let result = await result(of: request, for: caller)
            guard let delay = Self.delay(after: result), .now + delay < end else { return try result.get() }
            // A cancelled task is reported by the next attempt.
            try? await Task.sleep(for: delay)
        }
    }

    private func result<Request: ServiceRequest>(
        of request: Request, for caller: Caller
    ) async -> Result<Request.Response, CabinetError> {
        do {
            return .success(try await request.response(from: try await handler(for: caller)))
        } catch {
            return .failure(CabinetError(cloudKit: error))
        }
    }

    /// Returns the time that iCloud asks for, if it has not carried out the request for now.
    private static func delay(after result: Result<some Any, CabinetError>) -> Duration? {
        guard case .failure(let error) = result, temporary.contains(error.code),
            let seconds = error.retryAfterSeconds, seconds >= 0
        else { return nil }
        return .seconds(min(max(seconds, shortestDelay), longestDelay))
    }

    /// The shortest delay in seconds, so that a delay of 0 does not repeat the request without a pause.
    private static let shortestDelay = 0.1
    /// The longest delay in seconds; an error can have any number.
    private static let longestDelay = 86_400.0
    private static let temporary: Set<CabinetError.Code> = [.requestRateLimited, .serviceUnavailable, .zoneBusy]

    private func handler(for caller: Caller) async throws -> ICloudRequestHandler {
        if isClosed.withLock({ $0 }) { throw Self.closed }
        if Task.isCancelled { throw CabinetError.cancelled }
        try await account.check(caller)
        return ICloudRequestHandler(
            container: container, user: caller.account?.userRecordName, assets: assets, systemFields: systemFields,
            signals: signals)
    }

    /// Keeps bytes of an asset until a record is saved with it.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/notAuthenticated`` if the account of the device has changed, and the errors of
    ///   ``/Cabinet/DatabaseService/send(_:to:at:for:)``.
    public func send(_ bytes: Data, to upload: UUID, at offset: Int64, for caller: Caller) async throws {
        _ = try await handler(for: caller)
        try assets.uploads.append(bytes, to: upload, at: offset)
    }

    /// Reads bytes of an asset, which CloudKit downloads with its record.
    ///
    /// - Throws: The errors of ``perform(_:for:)``, and of ``/Cabinet/DatabaseService/bytes(of:of:in:scope:for:)``.
    public func bytes(
        of asset: StoredAsset, of recordID: RecordID, in range: Range<Int64>, scope: DatabaseScope, for caller: Caller
    ) async throws -> Data {
        if let bytes = try assets.bytes(of: asset, in: range, scope) { return bytes }
        var request = FetchRecordsRequest(in: scope)
        request.recordIDs = [recordID]
        // The fetch keeps the files of the record's assets.
        let results = try await perform(request, for: caller).results
        if let bytes = try assets.bytes(of: asset, in: range, scope) { return bytes }
        // Only an answer says that the record has no such asset.
        for case .failure(let error) in results where RetryRule.isTemporary(error.code) { throw error }
        throw CabinetError(
            .assetNotAvailable, "The record has no such asset. Fetch the record again.", recordID: recordID)
    }

    /// Returns signals of the container's own changes, of received notifications, and of a poll.
    ///
    /// - Throws: The errors of ``/Cabinet/DatabaseService/signals(of:for:)``.
    public func signals(of scopes: [DatabaseScope], for caller: Caller) throws -> AsyncStream<Void> {
        if caller.account == nil, scopes.contains(where: { $0 != .public }) {
            throw AccountRule.notAuthenticated
        }
        return signals.stream(of: Set(scopes))
    }

    /// Wakes the live queries of a database that a notification is about.
    ///
    /// - Parameter notification: A notification that the program has received.
    /// - Returns: Whether the notification is about this container.
    @discardableResult
    public func didReceive(_ notification: CKNotification) -> Bool { signals.didReceive(notification) }

    /// Ends the signals, and removes the files of assets; later requests fail.
    public func close() async {
        isClosed.withLock { $0 = true }
        account.stop()
        signals.close()
        assets.remove()
    }

    private static let closed = CabinetError(
        .serviceUnavailable, "The container was closed. Create another one.")
}
