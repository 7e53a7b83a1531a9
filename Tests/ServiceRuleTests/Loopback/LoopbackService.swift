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
        /// The device of a caller is another one.
        case device
        /// The stream of signals ends after the first.
        case signals
        /// The record and the field of an error are lost.
        case errorDetails
        /// The server's record of a conflict is lost.
        case conflicts
        /// A part of a request is not sent: the desired keys, and the limit of a page.
        case requestPart
        /// A record arrives without the names of the fields that are sent and have not changed.
        case savedParts
        /// A part of a response is lost: whether another page follows.
        case responsePart
        /// The bytes of uploads are cut.
        case uploads
        /// The bytes of an asset are those after the requested ones.
        case assetRange
    }

    /// Puts the coding between a container and its engine.
    static func adapt(_ container: Container) throws -> Container {
        container.over(LoopbackService(base: container.service))
    }

    /// Puts a wrong coding between a container and its engine.
    static func adapt(with fault: Fault) -> @Sendable (Container) throws -> Container {
        { $0.over(LoopbackService(base: $0.service, fault: fault)) }
    }

    func perform<Request: ServiceRequest>(
        _ request: Request, for caller: Caller
    ) async throws -> Request.Response {
        let sent = altered(try Request.coding.encode(request))
        let received = try Request.coding.decode(sent)
        let response: Request.Response
        do {
            response = altered(try await base.perform(received, for: altered(caller)))
        } catch let error as CabinetError {
            throw try loop(error)
        }
        return try Request.Response.coding.decode(altered(try Request.Response.coding.encode(response)))
    }

    func send(_ bytes: Data, to upload: UUID, at offset: Int64, for caller: Caller) async throws {
        let sent = fault == .uploads ? bytes.dropLast() : bytes
        try await base.send(Data(sent), to: upload, at: offset, for: altered(caller))
    }

    func bytes(
        of asset: StoredAsset, of recordID: RecordID, in range: Range<Int64>, scope: DatabaseScope, for caller: Caller
    ) async throws -> Data {
        let isShifted = fault == .assetRange && range.upperBound < asset.size
        let range = isShifted ? range.lowerBound + 1..<range.upperBound + 1 : range
        return try await base.bytes(of: asset, of: recordID, in: range, scope: scope, for: altered(caller))
    }

    func signals(of scopes: [DatabaseScope], for caller: Caller) throws -> AsyncStream<Void> {
        let signals = try base.signals(of: scopes, for: altered(caller))
        guard fault == .signals else { return signals }
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        continuation.yield()
        continuation.finish()
        return stream
    }

    func close() async { await base.close() }
}

extension LoopbackService {
    private func altered(_ caller: Caller) -> Caller {
        var caller = caller
        if fault == .caller, caller.account != nil { caller.account = Account(userRecordName: "_other") }
        if fault == .device { caller.deviceID = "other" }
        return caller
    }

    private func loop(_ error: CabinetError) throws -> CabinetError {
        var error = try CabinetError.coding.decode(try CabinetError.coding.encode(error))
        if fault == .errorDetails { (error.recordID, error.fieldKey) = (nil, nil) }
        return error
    }

    private func altered<Response>(_ response: Response) -> Response {
        guard fault == .conflicts, var altered = response as? ModifyRecordsRequest.Response else { return response }
        altered.saveResults = altered.saveResults.map { result in
            result.mapError { error in
                var error = error
                error.conflict = nil
                return error
            }
        }
        return altered as? Response ?? response
    }

    /// Returns the text of a request or response, without the parts that the fault loses.
    private func altered(_ json: [UInt8]) -> [UInt8] {
        let text = String(decoding: json, as: UTF8.self)
        switch fault {
        case .requestPart:
            let changed = text.replacing(#/"resultsLimit":[0-9]+/#, with: #""resultsLimit":0"#)
                .replacing(#/"desiredKeys":\[[^\]]*\]/#, with: #""desiredKeys":null"#)
            return Array(changed.utf8)
        case .savedParts:
            return Array(text.replacing(#/"base":\{"unchanged":\[[^\]]*\]/#, with: #""base":{"unchanged":[]"#).utf8)
        case .responsePart:
            return Array(text.replacing(#""moreComing":true"#, with: #""moreComing":false"#).utf8)
        default: return json
        }
    }
}
