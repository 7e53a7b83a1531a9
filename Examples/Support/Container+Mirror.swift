package import Cabinet
package import CabinetMirror
import Foundation
package import TerminalProgram

extension Container {
    /// Fetches from the mirrored server and sends to it, as far as it can be reached.
    ///
    /// - Returns: A sentence for a person about changes that are set aside or a server that was not reached; `nil` for neither.
    package func exchange() async -> String? {
        guard let mirror else { return nil }
        do {
            try await mirror.fetchChanges()
            try await mirror.sendChanges()
            guard case .setAside = mirror.status else { return nil }
            return "\(mirror.status). To see why: cabinet mirror pending"
        } catch CabinetError.Code.zoneBusy, CabinetError.Code.operationCancelled {
            // Another program fetches and sends for the store, or this one stops.
            return nil
        } catch {
            return "The server was not reached. The store is used without it. \(error.localizedDescription)"
        }
    }
}

extension FullScreen {
    /// Shows the status of a mirror at the bottom of the pages, until the task is cancelled.
    package func follow(_ mirror: MirrorDatabaseService?) -> Task<Void, Never>? {
        mirror.map { mirror in
            Task { for await status in mirror.statuses { footnote = "\(status)".printable } }
        }
    }
}
