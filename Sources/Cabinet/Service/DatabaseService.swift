public import Foundation

/// The interface between a ``Database`` and its records: an engine in this process, a server elsewhere, or a wrapper of either.
///
/// A program can wrap a service, to measure, to authorize or to cache, and create a container with the wrapper:
///
/// ```swift
/// struct CountingService: DatabaseService {
///     let base: any DatabaseService
///     let counts: Counts
///
///     func perform<Request: ServiceRequest>(
///         _ request: Request, for caller: Caller
///     ) async throws -> Request.Response {
///         counts.add(Request.name)
///         return try await base.perform(request, for: caller)
///     }
///     // The other requirements call those of `base`.
/// }
/// ```
///
/// One service serves all users: the ``Caller`` comes with each call. Nothing else about the caller is known to the service, and
/// nothing that crosses the seam means anything on one machine only. Calls can be concurrent.
public protocol DatabaseService: Sendable {
    /// Answers a request.
    ///
    /// Law: the response depends on the coding of the request, the caller and the store alone. A request that throws has changed
    /// nothing, unless its error is of a lost connection.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - caller: The user and device that the request acts for.
    /// - Returns: The response.
    /// - Throws: A ``CabinetError``, with ``CabinetError/Code/operationCancelled`` if the task is cancelled.
    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response

    /// Appends bytes to an upload that a ``BeginUploadRequest`` has begun.
    ///
    /// Law: bytes that the upload has already are skipped, so that a caller repeats a call whose response was lost.
    ///
    /// - Parameters:
    ///   - bytes: The next bytes, at most a megabyte.
    ///   - upload: The upload's ID.
    ///   - offset: The position of the first byte in the asset; at most the number of bytes that the upload has.
    ///   - caller: The user that has begun the upload.
    /// - Throws: ``CabinetError/Code/unknownItem`` if the caller has no such upload, ``CabinetError/Code/invalidArguments`` if
    ///   bytes before the offset are missing, ``CabinetError/Code/limitExceeded`` for more than a megabyte (1,048,576 bytes), and
    ///   ``CabinetError/Code/quotaExceeded`` if the store is full.
    func send(_ bytes: Data, to upload: UUID, at offset: Int64, for caller: Caller) async throws

    /// Reads bytes of an asset.
    ///
    /// Law: the caller may read the record, or the call throws as if the record did not have the asset.
    ///
    /// - Parameters:
    ///   - asset: An asset.
    ///   - recordID: A record that has the asset.
    ///   - range: The positions of the bytes, within the asset; at most a megabyte.
    ///   - scope: The database.
    ///   - caller: The user that reads.
    /// - Returns: The bytes.
    /// - Throws: ``CabinetError/Code/assetNotAvailable`` if the record does not have the asset, or the store has lost its bytes;
    ///   ``CabinetError/Code/limitExceeded`` for more than a megabyte.
    func bytes(
        of asset: StoredAsset, of recordID: RecordID, in range: Range<Int64>, scope: DatabaseScope, for caller: Caller
    ) async throws -> Data

    /// Returns signals, one at the beginning and then one after each change of a database.
    ///
    /// Law: a change that is committed after the call returns is followed by a signal. Signals may be joined, and a signal need not
    /// mean a change that the caller can see. The stream ends when the service is closed.
    ///
    /// - Parameters:
    ///   - scopes: The databases.
    ///   - caller: The user whose databases they are.
    /// - Returns: A stream that keeps one signal for a reader that is busy.
    /// - Throws: ``CabinetError/Code/notAuthenticated`` if a database needs an account and the caller has none.
    func signals(of scopes: [DatabaseScope], for caller: Caller) throws -> AsyncStream<Void>

    /// Ends the service, for all containers that use it.
    ///
    /// Law: every stream of signals ends, and later calls fail with ``CabinetError/Code/serviceUnavailable``.
    func close() async
}

/// A service that encrypts values itself: a container without a key store sends it values that are not encrypted.
package protocol EncryptingService: DatabaseService {}

/// A service that returns no changes of the default zone, so that a mirror cannot keep the zone's records.
package protocol ZoneChangesService: DatabaseService {}
