public import Cabinet
public import Foundation

/// The current activity of a mirror.
public enum MirrorStatus: Sendable {
    /// The mirror has not read its store yet.
    case starting
    /// Nothing is pending, set aside or missing, and the mirror waits for changes.
    case idle
    /// The mirror fetches: the number of changes that were fetched so far, and of all; `nil` if the server does not count them.
    case fetching(Int, of: Int?)
    /// The mirror sends: the number of changes that were sent, and of all that were pending.
    case sending(Int, of: Int)
    /// Changes are pending, and are sent soon; or the program sends them itself.
    case pending(Int)
    /// The mirror tries again at a date, after an error such as that of a network that is away.
    case waiting(until: Date, pending: Int, CabinetError)
    /// Changes are set aside, and wait for the program's decision, with other changes that refer to them.
    case setAside(Int, pending: Int)
    /// The records are up to date, and some of their assets, which ``MirrorAssets/Fetching/atOnce`` fetches, are missing: the mirror fetches
    /// them; or the program does, by ``MirrorDatabaseService/fetchChanges()``.
    case missingAssets
}

extension MirrorStatus: CustomStringConvertible {
    /// The status as a line for people.
    public var description: String {
        func changes(_ count: Int) -> String { count.counted("change") }
        return switch self {
        case .starting: "starting"
        case .idle: "up to date"
        case .fetching(let count, let all?): "fetching \(count) of \(changes(all))"
        case .fetching(let count, nil): count == 0 ? "fetching" : "fetching, \(changes(count)) so far"
        case .sending(let count, let all): "sending \(count) of \(changes(all))"
        case .pending(let count): "\(changes(count)) to send"
        case .waiting(_, let pending, let error):
            pending == 0 ? "waiting: \(error.message)" : "\(changes(pending)) to send, waiting: \(error.message)"
        case .setAside(let count, let pending):
            "\(changes(count)) set aside" + (pending > count ? ", \(changes(pending - count)) to send" : "")
        case .missingAssets: "assets to fetch"
        }
    }
}

extension MirrorStatus {
    /// Whether nothing is pending, set aside or missing, and nothing is under way.
    public var isIdle: Bool { if case .idle = self { true } else { false } }
}
