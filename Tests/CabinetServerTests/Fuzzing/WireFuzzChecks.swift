import Cabinet
import CabinetWire
import Foundation

@testable import CabinetServer

/// The properties of any bytes that arrive over a network; the body of the fuzzer, `Tests/Support/WireFuzzer`.
///
/// Where a reader has several forms of input, the first byte chooses one.
struct WireFuzzChecks {
    /// A reader of bytes.
    enum Target: String, CaseIterable, Sendable {
        case request, cloudKitRequest, answer, cloudKitAnswer
        case token, keySet, signature, ticket, target, form, signals
    }

    /// A violated property.
    struct Violation: Error, CustomStringConvertible {
        let description: String
    }

    private static let container = WireContainer(identifier: "com.example.notes", environment: .development)
    private static let caller = Caller(account: Account(userRecordName: "_ann"), deviceID: "fuzzer")
    private static let secret = ServerSecret.random()
    private static let names = RequestCatalog.names

    private var service: LocalDatabaseService
    private var remainingUses = 500
    private let authenticator: JSONWebTokenAuthenticator
    private let validTokens: Set<String>

    init() throws {
        service = try LocalDatabaseService(backend: MemoryBackend())
        let date = Date(timeIntervalSince1970: 1_800_000_000)
        authenticator = JSONWebTokenAuthenticator(
            .init(issuer: "https://id.example.com", audience: "notes", rolesClaim: "roles"),
            keys: try JSONWebKeySet(Data(FuzzSeeds.keySet.utf8)), fallback: BearerAuthenticator { _, _ in nil },
            now: { date })
        validTokens = Set([TokenVector.whole, .audiences, .accessToken, .rsa].map(\.token))
    }

    /// Checks an input.
    ///
    /// - Throws: ``Violation``
    mutating func check(_ target: Target, _ input: [UInt8]) async throws {
        let (choice, rest) = (Int(input.first ?? 0), Array(input.dropFirst()))
        switch target {
        case .request: try await checkRequest(Self.names[choice % Self.names.count], rest)
        case .cloudKitRequest: try await checkCloudKitRequest(choice, rest)
        case .answer: try checkAnswer(choice, rest)
        case .cloudKitAnswer:
            try await CloudKitAnswerCheck(status: choice.isMultiple(of: 2) ? 200 : 400, body: rest).run()
        case .token: try await checkToken(String(decoding: input, as: UTF8.self))
        case .keySet: try expectErrors(CabinetError.self) { _ = try JSONWebKeySet(Data(input)) }
        case .signature: try checkSignature(input)
        case .ticket: try checkTicket(choice, String(decoding: rest, as: UTF8.self))
        case .target: try checkTarget(String(decoding: input, as: UTF8.self))
        case .form: try checkForm(input)
        case .signals: try checkSignals(choice, rest)
        }
    }

    // MARK: - Requests

    private mutating func checkRequest(_ name: String, _ json: [UInt8]) async throws {
        try renewService()
        do {
            _ = try await RequestCatalog.perform(name, json, for: Self.caller, on: service)
        } catch let error as CabinetError where error.code != .internalError {
        } catch {
            throw Violation(description: "\(name) is answered with \(error)")
        }
    }

    private mutating func checkCloudKitRequest(_ choice: Int, _ json: [UInt8]) async throws {
        try renewService()
        let operation = CloudKitOperation.allCases[choice % CloudKitOperation.allCases.count]
        let endpoint = CloudKitEndpoint(
            service: service,
            host: SealedHost(
                secret: Self.secret, container: Self.container, baseURL: "https://c", directory: nil, couriers: nil),
            caller: Self.caller, scope: choice < 128 ? .private : .public, requestID: "1")
        let response = await endpoint.response(to: operation, body: json)
        guard response.status != 500, 200..<600 ~= response.status, (try? JSONText(response.body)) != nil else {
            throw Violation(
                description:
                    "\(operation.rawValue): \(response.status) \(String(decoding: response.body, as: UTF8.self))")
        }
    }

    /// Begins with an empty store now and then, so that it stays small.
    private mutating func renewService() throws {
        remainingUses -= 1
        guard remainingUses < 0 else { return }
        remainingUses = 500
        service = try LocalDatabaseService(backend: MemoryBackend())
    }

    // MARK: - Answers

    private func checkAnswer(_ choice: Int, _ json: [UInt8]) throws {
        func check<Value: ServiceValue>(_ type: Value.Type) throws {
            try expectErrors(CabinetError.self) {
                let value = try Value.coding.decode(json)
                let coded = try Value.coding.encode(value)
                let again = try Value.coding.encode(try Value.coding.decode(coded))
                guard again == coded else {
                    throw Violation(description: "\(type): \(String(decoding: coded, as: UTF8.self)) is not stable")
                }
            }
        }
        switch choice % 9 {
        case 0: try check(ModifyRecordsRequest.Response.self)
        case 1: try check(QueryRecordsRequest.Response.self)
        case 2: try check(FetchRecordsRequest.Response.self)
        case 3: try check(FetchLiveChangesRequest.Response.self)
        case 4: try check(FetchZoneChangesRequest.Response.self)
        case 5: try check(FetchDatabaseChangesRequest.Response.self)
        case 6: try check(AggregateRequest.Response.self)
        case 7: try check(FetchSchemaRequest.Response.self)
        default: try expectErrors(CabinetError.self) { _ = try CabinetError.coding.decode(json) }
        }
        try expectErrors(CabinetError.self) { _ = try ServerDescription(json: json) }
    }

    private func checkSignals(_ choice: Int, _ bytes: [UInt8]) throws {
        var (whole, parts) = (SignalStream.Reader(), SignalStream.Reader())
        let split = bytes.isEmpty ? 0 : choice % bytes.count
        let first = parts.events(in: bytes[..<split])
        guard whole.events(in: bytes) == first + parts.events(in: bytes[split...]) else {
            throw Violation(description: "the events depend on where the bytes are split")
        }
    }

    // MARK: - Credentials

    private func checkToken(_ text: String) async throws {
        var fields = HTTPFields()
        fields.append(HTTPField(name: .authorization, uncheckedValue: "Bearer \(text)"))
        do {
            let found = try await authenticator.authenticate(
                HTTPRequest(method: .post, path: "/", headerFields: fields), body: Data(), in: Self.container)
            if found.account != nil, !validTokens.contains(text) {
                throw Violation(description: "a token without a signature of the key is accepted: \(text)")
            }
        } catch is AuthenticationError {}
    }

    private func checkSignature(_ bytes: [UInt8]) throws {
        if let signature = ECDSASignature(der: bytes) {
            // There is one way to write the two numbers: nothing is left over, and no byte is ignored.
            let s = Array(bytes.dropFirst(4 + Int(bytes[3]) + 2).drop { $0 == 0 })
            guard DER.sequence(DER.integer(signature.r) + DER.integer(s)) == bytes else {
                throw Violation(description: "a signature is written in another way")
            }
            try expectRefusal(signature)
        }
        if let signature = ECDSASignature(raw: bytes) { try expectRefusal(signature) }
        if bytes.count >= 64 {
            let key = PublicKey.p256(x: Array(bytes[..<32]), y: Array(bytes[32..<64]))
            if key.isSignature(Array(bytes[64...]), of: [1]) {
                throw Violation(description: "bytes are accepted as a signature")
            }
        }
        let number = PublicKey.rsa(modulus: bytes, exponent: [1, 0, 1])
        if number.isValid, number.isSignature(bytes, of: [1]) {
            throw Violation(description: "bytes are accepted as a signature")
        }
        _ = ECDSASignature.isPublicKey(String(decoding: bytes, as: UTF8.self))
    }

    private func expectRefusal(_ signature: ECDSASignature) throws {
        if signature.isValid(for: Array("another text".utf8), by: FuzzSeeds.publicKey) {
            throw Violation(description: "bytes are accepted as a signature")
        }
    }

    private func checkTicket(_ choice: Int, _ text: String) throws {
        let context = ["asset", Self.container.identifier, Self.container.environment.rawValue]
        // The server's own texts are checked as well: an earlier version may have sealed them.
        let sealed = choice.isMultiple(of: 2) ? text : Self.secret.seal(text, for: context)
        if choice.isMultiple(of: 2), Self.secret.open(sealed, for: context) != nil {
            throw Violation(description: "a text that was not sealed is opened")
        }
        let path = ["assets", "1", Self.container.identifier, Self.container.environment.rawValue, sealed]
        try expectErrors(HTTPError.self) {
            let (ticket, _) = try AssetTicket.read(path, for: .download, { _ in Self.secret }, at: .distantPast)
            _ = (ticket.recordID, ticket.caller, ticket.asset.flatMap { StoredAsset($0) })
        }
    }

    // MARK: - HTTP

    private func checkTarget(_ text: String) throws {
        try expectErrors(CabinetError.self) {
            let target = try RequestTarget(text)
            guard try RequestTarget(target.description) == target else {
                throw Violation(description: "\(text) is restored as another target: \(target)")
            }
            for method in ["GET", "POST", "PUT"] {
                do {
                    let route = try CabinetRoute(method: method, target: target)
                    guard try CabinetRoute(method: route.method, target: route.target) == route else {
                        throw Violation(description: "\(text) is restored as another route")
                    }
                } catch is RouteError {}
                do { _ = try CloudKitRoute(method: method, target: target) } catch is RouteError {}
            }
        }
        _ = HTTPRange(text)
        _ = ClientAddress.network(of: text)
    }

    private func checkForm(_ input: [UInt8]) throws {
        let lineEnd = input.firstIndex(of: 0x0A) ?? input.endIndex
        let contentType = String(decoding: input[..<lineEnd], as: UTF8.self)
        let body = Data(input[lineEnd...].dropFirst())
        try expectErrors(HTTPError.self) {
            let part = try MultipartForm.part("files", of: body, contentType: contentType)
            guard body.range(of: part) != nil || part.isEmpty else {
                throw Violation(description: "the part is not in the form")
            }
        }
        if body.range(of: Data("--x".utf8)) == nil {
            let form =
                Data("--x\r\nContent-Disposition: form-data; name=\"files\"\r\n\r\n".utf8) + body
                + Data("\r\n--x--\r\n".utf8)
            guard try MultipartForm.part("files", of: form, contentType: "multipart/form-data; boundary=x") == body
            else {
                throw Violation(description: "the part is read as another one")
            }
        }
    }

    private func expectErrors<Failure: Error>(_ type: Failure.Type, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch is Failure {
        } catch let violation as Violation {
            throw violation
        } catch {
            throw Violation(description: "an error of another type: \(error)")
        }
    }
}
