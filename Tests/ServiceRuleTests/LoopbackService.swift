import Cabinet
import Foundation

/// A service that sends each request and each response through its coding, as over a wire.
struct LoopbackService: DatabaseService {
    let base: any DatabaseService
    /// A deliberate fault of the wire.
    var fault: Fault?

    /// A way in which a wire could be wrong.
    enum Fault: String, CaseIterable, Sendable {
        /// The caller of a request is another user.
        case caller
        /// No signal arrives.
        case signals
        /// The record, the field and the conflict of an error are lost.
        case errorDetails
        /// A part of a request is not sent.
        case requestPart
        /// The files of uploads are cut.
        case uploads
    }

    static func adapt(_ container: Container) throws -> Container {
        try container.over(LoopbackService(base: container.service))
    }

    func perform<Request: ServiceRequest>(
        _ request: Request, for caller: Caller
    ) async throws -> Request.Response {
        var caller = caller
        if fault == .caller, caller.account != nil { caller.account = Account(userRecordName: "_other") }
        var sent = try Request.coding.encode(request)
        if fault == .requestPart { sent = Self.removingPart(of: sent) }
        let received = try Request.coding.decode(sent)
        let response: Request.Response
        do {
            response = try await base.perform(received, for: caller)
        } catch let error as CabinetError {
            throw try loop(error)
        }
        return try Request.Response.coding.decode(try Request.Response.coding.encode(response))
    }

    private func loop(_ error: CabinetError) throws -> CabinetError {
        var error = try CabinetError.coding.decode(try CabinetError.coding.encode(error))
        if fault == .errorDetails {
            (error.recordID, error.fieldKey, error.conflict) = (nil, nil, nil)
            error.partialErrorsByItemID = [:]
        }
        return error
    }

    /// Returns a request that lists no desired keys, and asks for all pages at once.
    private static func removingPart(of json: [UInt8]) -> [UInt8] {
        let text = String(decoding: json, as: UTF8.self)
            .replacing(#/"resultsLimit":[0-9]+/#, with: #""resultsLimit":0"#)
            .replacing(#/"desiredKeys":\[[^\]]*\]/#, with: #""desiredKeys":null"#)
        return Array(text.utf8)
    }

    func send(_ bytes: Data, to upload: UUID, at offset: Int64, for caller: Caller) async throws {
        let sent = fault == .uploads ? bytes.dropLast() : bytes
        try await base.send(Data(sent), to: upload, at: offset, for: caller)
    }

    func bytes(
        of asset: StoredAsset, of recordID: RecordID, in range: Range<Int64>, scope: DatabaseScope, for caller: Caller
    ) async throws -> Data {
        try await base.bytes(of: asset, of: recordID, in: range, scope: scope, for: caller)
    }

    func signals(of scopes: [DatabaseScope], for caller: Caller) throws -> AsyncStream<Void> {
        let signals = try base.signals(of: scopes, for: caller)
        guard fault == .signals else { return signals }
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        continuation.yield()
        // The stream stays open with its reader.
        continuation.onTermination = { _ in withExtendedLifetime(signals) {} }
        let task = Task {
            try? await Task.sleep(for: .seconds(3_600))
            continuation.finish()
        }
        _ = task
        return stream
    }

    func close() async { await base.close() }
}
