import Cabinet
import CabinetServer
import CabinetTesting
import Foundation
import Testing

@testable import CabinetDashboard

/// A browser without a screen, that is signed in to a dashboard of a store in memory.
struct DashboardVisitor {
    static let origin = "http://127.0.0.1:8080"
    static let place = "/dashboard/com.example.coins/development/private"

    let backend = FaultInjectingBackend()
    let container: Container
    var dashboard: Dashboard
    var cookie = ""

    var database: Database { container.privateDatabase }

    init(
        schema: SchemaMode = .growing, production: Bool = false, storage: Bool = true,
        service: (any DatabaseService)? = nil, store: (any StorageBackend)? = nil, account: Account? = .default
    ) async throws {
        let service = try service ?? LocalDatabaseService(backend: backend, schema: schema)
        container = try Container(identifier: "com.example.coins", service: service)
        var stores = [
            Dashboard.Store(
                identifier: "com.example.coins", environment: "development", service: service, account: account,
                storage: storage ? store ?? backend : nil)
        ]
        if production {
            let other = try LocalDatabaseService(backend: MemoryBackend())
            stores.append(.init(identifier: "com.example.coins", environment: "production", service: other))
        }
        dashboard = Dashboard(stores: stores, origins: [Self.origin])
        // Other tests keep the machine busy.
        dashboard.timeLimit = .seconds(300)
        let path = dashboard.makeSignInPath()
        let code = try #require(path.split(separator: "=").last)
        let response = try await send(.post, "/dashboard/sign-in", body: "code=\(code)")
        cookie = try #require(response.headerFields[.setCookie]).split(separator: ";").first.map(String.init) ?? ""
    }

    /// Sends a request as a browser does.
    func send(
        _ method: HTTPRequest.Method, _ path: String, body: Data = Data(), host: String = "127.0.0.1:8080",
        origin: String? = Self.origin, cookie: String? = nil, type: String = "application/x-www-form-urlencoded"
    ) async throws -> HTTPResponse {
        var fields = HTTPFields()
        try fields.set(.host, to: host)
        try fields.set(.cookie, to: cookie ?? self.cookie)
        if method == .post {
            try fields.set(.origin, to: origin)
            try fields.set(.contentType, to: type)
        }
        return try await dashboard.handler(
            HTTPRequest(method: method, target: path, headerFields: fields, body: HTTPBody(body)))
    }

    /// Sends a request with a text.
    func send(
        _ method: HTTPRequest.Method, _ path: String, body: String, host: String = "127.0.0.1:8080",
        origin: String? = Self.origin, cookie: String? = nil, type: String = "application/x-www-form-urlencoded"
    ) async throws -> HTTPResponse {
        try await send(
            method, path, body: Data(body.utf8), host: host, origin: origin, cookie: cookie, type: type)
    }

    /// Returns the text of a page, which must have a status.
    func page(
        _ page: String, _ items: KeyValuePairs<String, String> = [:], status: Int = 200,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let response = try await send(.get, Self.address(page, items))
        #expect(response.status.code == status, sourceLocation: sourceLocation)
        return String(decoding: try await response.body.collect(upTo: 1 << 24), as: UTF8.self)
    }

    /// Sends the form of a page, with the page's token and hidden fields.
    func submit(
        _ page: String, _ items: KeyValuePairs<String, String> = [:], _ fields: KeyValuePairs<String, String>,
        status: Int = 303, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let token = try #require(try await token(page, items))
        let body = ([("token", token)] + fields.map { ($0.key, $0.value) }).map {
            "\(Self.escaped($0.0))=\(Self.escaped($0.1))"
        }
        .joined(separator: "&")
        let response = try await send(.post, Self.address(page, items), body: body)
        #expect(response.status.code == status, sourceLocation: sourceLocation)
        if let location = response.headerFields[.location] { return location }
        return String(decoding: try await response.body.collect(upTo: 1 << 24), as: UTF8.self)
    }

    /// Compares the text of a schema, and applies it.
    func applySchema(
        _ text: String, status: Int = 303, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let page = try await submit("schema", [:], ["text": text], status: 200, sourceLocation: sourceLocation)
        return try await submit(
            "schema", [:], ["text": text, "apply": "1", "compared": try #require(page.hidden("compared"))],
            status: status, sourceLocation: sourceLocation)
    }

    /// Returns the text of a page of another database, such as that of another user.
    func text(
        of path: String, status: Int = 200, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let response = try await send(.get, path)
        #expect(response.status.code == status, "\(path)", sourceLocation: sourceLocation)
        return String(decoding: try await response.body.collect(upTo: 1 << 24), as: UTF8.self)
    }

    /// Sends the form of a page with files.
    func upload(
        _ page: String, _ items: KeyValuePairs<String, String> = [:], _ fields: KeyValuePairs<String, String>,
        files: [(field: String, name: String, bytes: String)], status: Int = 303,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        try await upload(
            page, items, fields, data: files.map { ($0.field, $0.name, Data($0.bytes.utf8)) }, status: status,
            sourceLocation: sourceLocation)
    }

    /// Sends the form of a page with files of any bytes.
    func upload(
        _ page: String, _ items: KeyValuePairs<String, String> = [:], _ fields: KeyValuePairs<String, String>,
        data files: [(field: String, name: String, bytes: Data)], status: Int = 303,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let token = try #require(try await token(page, items))
        let head = "--x\r\nContent-Disposition: form-data; name="
        let texts = ([("token", token)] + fields.map { ($0.key, $0.value) }).map { "\(head)\"\($0)\"\r\n\r\n\($1)\r\n" }
        var body = Data(texts.joined().utf8)
        for file in files {
            body += Data("\(head)\"\(file.field)\"; filename=\"\(file.name)\"\r\n\r\n".utf8) + file.bytes
            body += Data("\r\n".utf8)
        }
        let response = try await send(
            .post, Self.address(page, items), body: body + Data("--x--\r\n".utf8),
            type: "multipart/form-data; boundary=x")
        #expect(response.status.code == status, sourceLocation: sourceLocation)
        if let location = response.headerFields[.location] { return location }
        return String(decoding: try await response.body.collect(upTo: 1 << 24), as: UTF8.self)
    }

    private func token(_ page: String, _ items: KeyValuePairs<String, String>) async throws -> String? {
        let response = try await send(.get, Self.address(page, items))
        let text = String(decoding: try await response.body.collect(upTo: 1 << 24), as: UTF8.self)
        return text.firstMatch(of: #/name="token" value="([^"]+)"/#).map { String($0.1) }
    }

    static func address(_ page: String, _ items: KeyValuePairs<String, String> = [:]) -> String {
        let query = items.map { "\(escaped($0.key))=\(escaped($0.value))" }.joined(separator: "&")
        return "\(place)\(page.isEmpty ? "" : "/\(page)")\(query.isEmpty ? "" : "?\(query)")"
    }

    static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
}

extension String {
    /// The value of a hidden field of a page.
    func hidden(_ name: String) -> String? {
        firstRange(of: "name=\"\(name)\" value=\"").map { String(self[$0.upperBound...].prefix { $0 != "\"" }) }
    }
}
