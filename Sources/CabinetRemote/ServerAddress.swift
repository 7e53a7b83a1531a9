import Cabinet
import CabinetWire
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The address of a server, and the requests to it.
struct ServerAddress: Sendable {
    /// The address without a slash at its end.
    let text: String

    init(_ url: URL, allowsUnencrypted: Bool, hasSecret: Bool) throws {
        let scheme = url.scheme?.lowercased()
        guard scheme == "https" || scheme == "http", let host = url.host, !host.isEmpty, url.user == nil,
            url.query == nil, url.fragment == nil
        else {
            throw CabinetError(
                .invalidArguments,
                "The address of a server is like https://records.example.com, without a query or a user.")
        }
        let isLocal = ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host.lowercased())
        guard scheme == "https" || isLocal || allowsUnencrypted || !hasSecret else {
            throw CabinetError(
                .invalidArguments,
                "A secret is not sent to '\(host)' without encryption. Use https. In a private network, set allowsUnencrypted, or "
                    + "--allow-unencrypted of the program 'cabinet'."
            )
        }
        var text = url.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        self.text = text
    }

    /// Returns the URL of a path on the server.
    func url(of target: RequestTarget) throws(CabinetError) -> URL {
        guard let url = URL(string: text + target.description) else {
            throw CabinetError(.invalidArguments, "'\(text)\(target)' is not a URL.")
        }
        return url
    }

    /// Returns the error of a text that is not an address.
    static func malformed(_ text: String) -> CabinetError {
        CabinetError(
            .invalidArguments, "'\(text)' is not the address of a server, such as https://records.example.com.")
    }

    /// The error of a request for a user without credentials.
    static let otherUser = CabinetError(
        .notAuthenticated, "The credentials are those of another user than the container's.")

    /// Returns the HTTP request of a route.
    func request(
        _ route: CabinetRoute, body: Data?, for caller: Caller, _ credentials: Credentials, id: String
    ) async throws -> URLRequest {
        guard caller.account?.userRecordName == credentials.userRecordName else {
            throw Self.otherUser
        }
        var request = URLRequest(url: try url(of: route.target))
        request.httpMethod = route.method
        request.httpBody = body
        if body != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
        request.setValue(caller.deviceID, forHTTPHeaderField: CabinetField.device)
        request.setValue(id, forHTTPHeaderField: CabinetField.requestID)
        if let user = credentials.userRecordName { request.setValue(user, forHTTPHeaderField: CabinetField.user) }
        if let token = try await credentials.token?() {
            request.setValue("Bearer \(try Credentials.checked(token))", forHTTPHeaderField: "Authorization")
        }
        return request
    }
}
