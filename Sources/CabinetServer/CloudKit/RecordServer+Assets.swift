import Cabinet
import CabinetWire
import Foundation

/// The bytes of assets in CloudKit's dialect, at URLs that were given to a user for a field.
extension RecordServer {
    func assetResponse(to exchange: ServerExchange, _ target: RequestTarget) async -> HTTPResponse {
        exchange.set(name: "asset")
        var response: HTTPResponse
        do {
            try countAddress(of: exchange)
            switch exchange.request.method {
            case .post, .put: response = try await upload(exchange, target)
            case .get, .head: response = try await download(exchange, target)
            case .options: return preflight()
            default: throw HTTPError.methodNotAllowed(.get, .head, .post, .put)
            }
        } catch let error as CabinetError {
            let answer = CloudKitResponse(shown(error, exchange), requestID: exchange.id)
            response = HTTPResponse(
                HTTPResponse.Status(code: answer.status) ?? .internalServerError,
                body: HTTPBody(Data(answer.body)))
        } catch {
            if !(error is HTTPError) { exchange.set(error) }
            response = HTTPResponse(reporting: error)
        }
        addBrowserFields(to: &response)
        return response
    }

    // MARK: - Uploads

    private func upload(_ exchange: ServerExchange, _ target: RequestTarget) async throws -> HTTPResponse {
        let request = exchange.request
        let (ticket, container) = try AssetTicket.read(target.path, for: .upload, secret(of:), at: Date())
        let (service, caller) = (try service(of: container, exchange), ticket.caller)
        var beginning = BeginUploadRequest(in: ticket.scope)
        beginning.zoneID = ticket.recordID.zoneID
        let begun = try await service.perform(beginning, for: caller)
        do {
            let limit = configuration.limits.assetSize
            let contentType = request.headerFields[.contentType] ?? ""
            var body = request.body
            if contentType.lowercased().hasPrefix("multipart/form-data") {
                let form = try await exchange.collectBody(upTo: min(limit, .max - 65_536) + 65_536)
                body = HTTPBody(try MultipartForm.part("files", of: form, contentType: contentType))
            }
            var offset: Int64 = 0
            for try await chunk in body {
                for part in chunk.parts(of: StoredAsset.partSize) {
                    guard offset + Int64(part.count) <= limit else {
                        throw HTTPError(.contentTooLarge, "An asset has at most \(limit) bytes.")
                    }
                    try await service.send(Data(part), to: begun.upload, at: offset, for: caller)
                    offset += Int64(part.count)
                }
            }
            let asset = try await service.perform(FinishUploadRequest(begun.upload), for: caller)
            let endpoint = CloudKitEndpoint(
                service: service, host: host(for: container, exchange), caller: caller, scope: ticket.scope,
                requestID: exchange.id)
            let answer = try endpoint.uploadResponse(asset, upload: begun.upload)
            return try HTTPResponse(contentType: "application/json", body: HTTPBody(Data(answer.body)))
        } catch {
            _ = try? await service.perform(EndUploadsRequest([begun.upload]), for: caller)
            throw error
        }
    }

    // MARK: - Downloads

    private func download(_ exchange: ServerExchange, _ target: RequestTarget) async throws -> HTTPResponse {
        let (ticket, container) = try AssetTicket.read(target.path, for: .download, secret(of:), at: Date())
        let service = try service(of: container, exchange)
        guard let asset = ticket.asset.flatMap({ StoredAsset($0) }) else {
            throw HTTPError(.notFound, "The URL is not valid.")
        }
        var response = HTTPResponse()
        var range: Range<Int64> = 0..<asset.size
        // Only a GET has parts (RFC 9110, section 14.2), and no condition of If-Range holds, because no response has an ETag or a date.
        let fields = exchange.request.headerFields
        let asked = exchange.request.method == .get && fields[.ifRange] == nil ? fields[.range] : nil
        if let asked = asked.flatMap({ HTTPRange($0) }) {
            guard let bytes = asked.bytes(of: asset.size) else {
                var refusal = HTTPResponse(
                    reporting: HTTPError(.rangeNotSatisfiable, "The asset has \(asset.size) bytes."))
                try refusal.headerFields.set(.contentRange, to: "bytes */\(asset.size)")
                return refusal
            }
            range = bytes
            response.status = .partialContent
            try response.headerFields.set(
                .contentRange, to: "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(asset.size)")
        }
        try response.headerFields.set(.acceptRanges, to: "bytes")
        try response.headerFields.set(.contentType, to: "application/octet-stream")
        // A browser must not run what a user has stored.
        try response.headerFields.set(.contentDisposition, to: "attachment")
        var parts = AssetParts(service: service, asset: asset, ticket: ticket, range: range)
        // A user that may not read the asset learns it before the response begins.
        do {
            parts.beginning = try await parts.bytes(from: range.lowerBound, count: 1 << 16)
        } catch let error as CabinetError where error.code == .assetNotAvailable {
            throw HTTPError(.notFound, error.message)
        }
        response.content = .body(HTTPBody(parts, length: Int64(range.count)))
        return response
    }

    private func service(of container: WireContainer, _ exchange: ServerExchange) throws -> any DatabaseService {
        exchange.set(container)
        guard let service = services(container) else { throw HTTPError(.notFound, "There is no such container.") }
        return GuardedService(
            base: service, container: container, administrators: configuration.administrators,
            directory: configuration.directory)
    }
}

/// The bytes of an asset, a megabyte at a time; each read checks whether the user may read the record.
private struct AssetParts: AsyncSequence, Sendable {
    let service: any DatabaseService
    let asset: StoredAsset
    let ticket: AssetTicket
    let range: Range<Int64>
    /// The first bytes, which were read already.
    var beginning: Data?

    func makeAsyncIterator() -> Iterator { Iterator(parts: self, offset: range.lowerBound) }

    /// Reads bytes; `nil` at the end of the range.
    func bytes(from offset: Int64, count: Int64) async throws -> Data? {
        let end = Swift.min(offset + count, range.upperBound)
        guard offset < end else { return nil }
        let bytes = try await service.bytes(
            of: asset, of: ticket.recordID, in: offset..<end, scope: ticket.scope, for: ticket.caller)
        // Without bytes the response would not end, and with others it would be longer than it says.
        guard 1...end - offset ~= Int64(bytes.count) else {
            throw CabinetError(.assetNotAvailable, "The service has no bytes of the asset.", recordID: ticket.recordID)
        }
        return bytes
    }

    struct Iterator: AsyncIteratorProtocol {
        let parts: AssetParts
        var offset: Int64

        mutating func next() async throws -> Data? {
            let isFirst = offset == parts.range.lowerBound
            let part =
                if isFirst, let beginning = parts.beginning { beginning } else {
                    try await parts.bytes(from: offset, count: Int64(StoredAsset.partSize))
                }
            offset += Int64(part?.count ?? 0)
            return part
        }
    }
}
