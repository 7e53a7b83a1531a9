import Cabinet
import CabinetWire
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension CloudKitDatabaseService {
    /// The time between two signals if no notification arrives.
    private static let interval: Duration = .seconds(60)

    /// Polls for notifications until the server no longer has the token; without a user, waits.
    func poll(_ onSignal: () -> Void) async -> SignalTasks.Ending {
        let body = Array("{\"apnsEnvironment\":\"\(container.environment.rawValue)\"}".utf8)
        do {
            guard case .webToken(_, _?, _) = credentials.kind else { throw CancellationError() }
            let url = try await send(.tokensCreate, to: .private, body: body).courierURL()
            let request = URLRequest(url: try secureURL(url))
            while !Task.isCancelled {
                let start = ContinuousClock.now
                let response = try? await couriers.send(effect: .once, request: { request }, failure: { _ in nil })
                // The page of a network answers at once, and with another form.
                if let response, response.status == 200,
                    response.body.isEmpty || response.body.first == UInt8(ascii: "{")
                {
                    onSignal()
                    // A server with many notifications may answer at once, too.
                    try await Task.sleep(until: start + .seconds(1), clock: .continuous)
                } else {
                    let pause = response?.retryAfter.map { Duration.seconds(min(max($0, 1), 3_600)) }
                    try await Task.sleep(for: pause ?? Self.interval)
                    // A notification may be lost with its answer.
                    onSignal()
                    if response?.status == 404 { break }
                }
            }
        } catch {
            try? await Task.sleep(for: Self.interval)
            onSignal()
        }
        return .broken
    }
}
