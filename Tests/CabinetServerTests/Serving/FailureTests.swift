import Cabinet
import CabinetTesting
import CabinetWire
import Foundation
import Testing

@testable import CabinetServer

@Suite("A failure of the server")
struct FailureTests {
    private static let file = "/srv/store/private-1.sqlite"
    private static let targets = [
        CabinetRoute.request("fetchZones", in: TestServer.container).target.description,
        CloudKitRoute(.zonesList, in: TestServer.container, scope: .private).target.description,
    ]

    /// Sends a request of each dialect to a server whose store fails.
    private func check(
        _ error: any Error, time: Duration = .seconds(60),
        _ body: (_ response: HTTPResponse, _ text: String, _ record: RequestRecord) throws -> Void
    ) async throws {
        let records = Records()
        var configuration = RecordServer.Configuration()
        configuration.log = { records.add($0) }
        configuration.limits.time = time
        let server = try TestServer(configuration: configuration) { FailingService(base: $0, error: error) }
        for target in Self.targets {
            let json = target.hasPrefix("/cabinet/") ? #"{"scope":2}"# : "{}"
            let response = try await server.send(.post, target, HTTPBody(json), token: "_ann")
            let text = String(decoding: try await response.body.collect(upTo: 1 << 16), as: UTF8.self)
            try body(response, text, try #require(records.all.last))
        }
    }

    @Test(
        "is written to the log alone, under the ID that the client gets",
        arguments: [
            (CabinetError(.internalError, "The store's file \(file) is not an SQLite database."), 500),
            (CabinetError(.internalError, "secret: The table is damaged."), 500),
            (CabinetError(.zoneBusy, "The store's file \(file) is locked.", retryAfterSeconds: 1), 503),
            (
                CabinetError(
                    .serviceUnavailable, "Try again.", underlyingError: CabinetError(.internalError, "No file \(file).")
                ), 503
            ),
            (CocoaError(.fileReadNoSuchFile, userInfo: [NSFilePathErrorKey: file]), 500),
        ] as [(any Error, Int)])
    func log(error: any Error, status: Int) async throws {
        try await check(error) { response, text, record in
            #expect(response.status.code == status)
            #expect(!text.contains("sqlite") && !text.contains("secret"), "\(text)")
            #expect(text.contains("under the ID \(record.id)"), "\(text)")
            #expect(record.error == "\(error)")
        }
    }

    @Test("does not include errors of the client, whose text it gets")
    func client() async throws {
        try await check(CabinetError(.invalidArguments, "The text 'a /b' has no index.")) { response, text, record in
            #expect(response.status == .badRequest)
            #expect(text.contains("has no index."))
            #expect(record.error == nil)
        }
    }

    @Test("does not include a request that takes too long, which may be sent again", arguments: [true, false])
    func late(isCoded: Bool) async throws {
        let error: any Error = isCoded ? CabinetError(.operationCancelled, "Cancelled.") : CancellationError()
        try await check(error, time: .milliseconds(20)) { response, text, record in
            #expect(response.status == .serviceUnavailable)
            #expect(response.headerFields[.retryAfter] == "1")
            #expect(record.error == nil)
        }
    }
}

/// A service whose requests fail, those with a short limit when they are cancelled.
private struct FailingService: WrappingService {
    let base: any DatabaseService
    let error: any Error

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        if error is CancellationError || (error as? CabinetError)?.code == .operationCancelled {
            try? await Task.sleep(for: .seconds(60))
        }
        throw error
    }
}
