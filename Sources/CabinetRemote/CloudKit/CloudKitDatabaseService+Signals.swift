import Cabinet
import CabinetWire
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension CloudKitDatabaseService {
    /// The time between two signals if no notification arrives.
    private static let interval: Duration = .seconds(60)

    /// Polls for notifications until a failure; without a user, waits.
    func poll(_ onSignal: () -> Void) async -> SignalTasks.Ending {
        let body = Array("{\"apnsEnvironment\":\"\(container.environment.rawValue)\"}".utf8)
        do {
            guard case .webToken(_, _?, _) = credentials.kind else { throw CancellationError() }
            let url = try await send(.tokensCreate, to: .private, body: body).courierURL()
            let request = URLRequest(url: try secureURL(url))
            var isValid = true
            while isValid, !Task.isCancelled {
                // A notification that was lost is followed by a signal, too.
                let response = try await couriers.send(effect: .once) {
                    request
                } failure: { _ in
                    nil
                }
                // The page of a network answers at once, and with another form.
                isValid = response.status == 200 && (response.body.isEmpty || response.body.first == UInt8(ascii: "{"))
                onSignal()
                if response.body.isEmpty { try await Task.sleep(for: .seconds(1)) }
            }
        } catch {
            try? await Task.sleep(for: Self.interval)
            onSignal()
        }
        return .broken
    }
}
