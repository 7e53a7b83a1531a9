import Cabinet

extension CloudKitEndpoint {
    /// Answers `tokens/create`.
    func createToken(_ root: JSONNode) async throws -> CloudKitResponse {
        let environment = try Self.environment(root)
        let token = try await host.createToken(
            environment: environment, clientID: try root["clientId"]?.string(), for: caller)
        return try CloudKitResponse { writer in
            writer.member("apnsEnvironment", environment)
            writer.member("apnsToken", token.token)
            writer.member("webcourierURL", token.courierURL)
        }
    }

    /// Answers `tokens/register`.
    func registerToken(_ root: JSONNode) async throws -> CloudKitResponse {
        try await host.registerToken(
            try root.required("apnsToken").string(), environment: try Self.environment(root),
            clientID: try root["clientId"]?.string(), for: caller)
        return try CloudKitResponse { _ in }
    }

    private static func environment(_ root: JSONNode) throws(CabinetError) -> String {
        let node = try root.required("apnsEnvironment")
        let text = try node.string()
        guard WireEnvironment(rawValue: text) != nil else { throw node.error(expected: "development or production") }
        return text
    }
}
