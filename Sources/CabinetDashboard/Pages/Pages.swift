import Cabinet
import CabinetServer
import CabinetTools
import Foundation

/// The pages of a database, by their names in addresses.
enum Pages {
    static func answer(_ visit: Visit) async throws -> Answer {
        do {
            switch visit.page {
            case "types": return try await TypesPage.answer(visit)
            case "type": return try await TypePage.answer(visit)
            case "records": return try await RecordsPage.answer(visit)
            case "record": return try await RecordPage.answer(visit)
            case "new": return try await NewRecordPage.answer(visit)
            case "delete": return try await DeletionPage.answer(visit)
            case "asset": return try await AssetPage.answer(visit)
            case "export": return try await ExportPage.answer(visit)
            case "zones": return try await ZonesPage.answer(visit)
            case "changes": return try await ChangesPage.answer(visit)
            case "schema": return try await SchemaPage.answer(visit)
            case "subscriptions": return try await SubscriptionsPage.answer(visit)
            case "shares": return try await SharesPage.answer(visit)
            case "roles": return try await RolesPage.answer(visit)
            case "import": return try await ImportPage.answer(visit)
            case "users": return try await UsersPage.answer(visit)
            case "keys": return try await KeysPage.answer(visit)
            case "health": return try await HealthPage.answer(visit)
            default: throw HTTPError(.notFound, "Nothing has this address.")
            }
        } catch {
            let known = error as? CabinetError
            // A server may have carried out the change, which this error says.
            let isUncertain = (known?.underlyingError as? CabinetError)?.code == .serverResponseLost
            guard let error = Task.isCancelled && !isUncertain ? visit.lateness : known else { throw error }
            return UnsavedRecordPage.answer(visit, error) ?? ErrorPage.page(error, visit.place)
        }
    }
}

extension Visit {
    /// The address of the events that show changes of the database.
    var events: String { place.link("events") }

    /// The first part of the path above a page, which is a zone in the shared database.
    var typesTrail: (title: String, address: String) {
        let isShared = place.scope == .shared
        let address = place.link(nil, ["zone": isShared ? self["zone"] : nil, "owner": isShared ? self["owner"] : nil])
        return ("Record types", address)
    }
}

extension HTML {
    /// The time zone of the dates on pages, for the title of those of a column or a field.
    static let utc: HTML = " <small>UTC</small>"
}

extension Date {
    /// The date for a person, with the exact one for programs.
    var html: HTML {
        let exact = RecordJSON.shown(self)
        let parts = exact.split(separator: "T", maxSplits: 1)
        let time = String(parts.last?.prefix(8) ?? "")
        return "<time datetime=\"\(exact)\">\(String(parts.first ?? "")) \(time)</time>"
    }
}

extension Int {
    /// The number with spaces between thousands, and its noun.
    func counted(_ noun: String) -> String { "\(grouped) \(noun)\(self == 1 ? "" : "s")" }

    /// The number with thin spaces between thousands.
    var grouped: String {
        let digits = Array(String(magnitude))
        var text = self < 0 ? "−" : ""
        for (position, digit) in digits.enumerated() {
            if position > 0, (digits.count - position).isMultiple(of: 3) { text += "\u{202F}" }
            text.append(digit)
        }
        return text
    }
}
