/// Runs a request, and passes its result to a completion handler.
func complete<Success: Sendable>(
    _ handler: @escaping @Sendable (Success?, (any Error)?) -> Void,
    _ request: @escaping @Sendable () async throws -> Success
) {
    Task {
        do {
            handler(try await request(), nil)
        } catch {
            handler(nil, error)
        }
    }
}

/// Runs a request, and passes its result to a completion handler that takes a `Result`.
func complete<Success: Sendable>(
    result handler: @escaping @Sendable (Result<Success, any Error>) -> Void,
    _ request: @escaping @Sendable () async throws -> Success
) {
    Task {
        do {
            handler(.success(try await request()))
        } catch {
            handler(.failure(error))
        }
    }
}
