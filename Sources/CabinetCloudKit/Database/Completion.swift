import Dispatch

/// Runs a request, and passes its result to a completion handler.
func complete<Success: Sendable>(
    _ handler: @escaping @Sendable (Success?, (any Error)?) -> Void,
    _ request: @escaping @Sendable () async throws -> Success
) {
    complete(
        result: { result in
            switch result {
            case .success(let value): handler(value, nil)
            case .failure(let error): handler(nil, error)
            }
        }, request)
}

/// Runs a request, and passes its result to a completion handler that takes a `Result`.
///
/// The handler runs on a queue of its own, so that it may wait for other handlers: Swift's own threads are as few as the processors.
func complete<Success: Sendable>(
    result handler: @escaping @Sendable (Result<Success, any Error>) -> Void,
    _ request: @escaping @Sendable () async throws -> Success
) {
    Task {
        let result: Result<Success, any Error>
        do {
            result = .success(try await request())
        } catch {
            result = .failure(error)
        }
        DispatchQueue(label: "CloudKit completion").async { handler(result) }
    }
}
