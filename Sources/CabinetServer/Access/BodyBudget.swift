import Cabinet
import Synchronization

/// The bytes of requests that a server has in memory: of all clients, and of each address.
///
/// Clients decide how many bytes they send over how many connections, so only their sum has a bound.
final class BodyBudget: Sendable {
    private struct State {
        var count = 0
        var counts: [String: Int] = [:]
    }

    private let limit: Int
    private let limitPerAddress: Int
    private let state = Mutex(State())

    init(_ limits: RequestLimits) {
        limit = max(limits.bodyMemory, limits.bodySize)
        limitPerAddress = max(limits.bodyMemory / 4, limits.bodySize)
    }

    /// The bytes of one request, which are given back when it is released.
    final class Share: Sendable {
        private let budget: BodyBudget
        private let address: String?
        private let count = Atomic(0)

        init(of budget: BodyBudget, address: String?) {
            (self.budget, self.address) = (budget, address)
        }

        deinit {
            let count = count.load(ordering: .relaxed)
            if count > 0 { budget.give(back: count, of: address) }
        }

        /// Counts bytes that have arrived, or that the values in them need.
        ///
        /// - Throws: ``/Cabinet/CabinetError/Code/serviceUnavailable`` if the server has too many, and
        ///   ``/Cabinet/CabinetError/Code/limitExceeded`` if the request alone has.
        func take(_ bytes: Int) throws(CabinetError) {
            guard count.load(ordering: .relaxed) + bytes <= budget.limitPerAddress else {
                throw CabinetError(
                    .limitExceeded,
                    "The request needs more than \(budget.limitPerAddress) bytes of memory: it has too many values. Split it."
                )
            }
            guard budget.take(bytes, of: address) else {
                throw CabinetError(
                    .serviceUnavailable, "The server has too many bytes of requests in memory. Try again.",
                    retryAfterSeconds: 1)
            }
            count.add(bytes, ordering: .relaxed)
        }
    }

    private func take(_ bytes: Int, of address: String?) -> Bool {
        state.withLock { state in
            let own = address.map { state.counts[$0, default: 0] + bytes } ?? 0
            guard state.count + bytes <= limit, own <= limitPerAddress else { return false }
            state.count += bytes
            if let address { state.counts[address] = own }
            return true
        }
    }

    private func give(back bytes: Int, of address: String?) {
        state.withLock { state in
            state.count -= bytes
            guard let address else { return }
            let own = state.counts[address, default: bytes] - bytes
            state.counts[address] = own > 0 ? own : nil
        }
    }
}
