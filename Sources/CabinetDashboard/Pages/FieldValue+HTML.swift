import Cabinet
import CabinetServer
import CabinetTools
import Foundation

/// Values of fields as pages show them.
extension FieldValue {
    /// The value in a table: short, on one line.
    func cell(in place: Place) -> HTML {
        switch self {
        case .reference(let reference):
            return "<a href=\"\(place.link(to: reference.recordID))\">\(reference.recordID.recordName.shown(40))</a>"
        case .timestamp(let date): return date.html
        case .asset(let asset): return "\(Int(clamping: asset.size ?? 0).counted("byte"))"
        case .bytes(let data): return "\(data.count.counted("byte"))"
        case .encrypted(let value): return "encrypted, \((value.ciphertext?.count ?? 0).counted("byte"))"
        case .int64(let number): return "<span class=\"number\">\(number)</span>"
        case .double(let number): return "<span class=\"number\">\("\(number)")</span>"
        case .list(let list):
            let shown = list.elements.prefix(5).map { $0.cell(in: place) }.joined(by: ", ")
            return list.count > 5 ? "\(shown), … (\(list.count))" : shown
        case .string, .location: return "\(RecordJSON.json(self) { _ in nil }.text.shown(120))"
        }
    }

    /// The value in a table, within a link of its own.
    var plainCell: HTML {
        if case .reference(let reference) = self { return "\(reference.recordID.recordName.shown(40))" }
        return cell(in: Place(container: "", environment: "", scope: .private))
    }

    /// The value on the page of its record.
    func whole(_ key: String, of record: Record, in place: Place) -> HTML {
        switch self {
        case .string(let text): return "<div class=\"text\" dir=\"auto\">\(text.shown(2_000))</div>"
        case .asset(let asset): return Self.asset(asset, key, 0, of: record, in: place)
        case .list(.asset(let assets)):
            return assets.enumerated().map { Self.asset($1, key, $0, of: record, in: place) }.joined(by: " ")
        case .list(let list):
            let items = list.elements.prefix(200).map { element -> HTML in "<li>\(element.cell(in: place))</li>" }
            let rest: HTML = list.count > 200 ? "<li>… (\((list.count - 200)) more)</li>" : .empty
            return list.count == 0
                ? "<span class=\"none\">an empty list</span>" : "<ol class=\"list\">\(items)\(rest)</ol>"
        case .bytes(let data):
            return
                "<details><summary>\(data.count.counted("byte"))</summary><code class=\"break\">\(data.prefix(1_024).base64EncodedString())</code></details>"
        default: return cell(in: place)
        }
    }

    /// An asset: a picture if it is small and a known kind of one, and a link to its bytes.
    private static func asset(
        _ asset: Asset, _ key: String, _ index: Int, of record: Record, in place: Place
    ) -> HTML {
        let id = record.recordID
        let address = place.link(
            "asset",
            [
                "zone": Place.zoneName(id.zoneID), "owner": Place.owner(id.zoneID), "name": id.recordName, "field": key,
                "index": index == 0 ? nil : "\(index)",
            ])
        let size = Int(clamping: asset.size ?? 0)
        let picture: HTML =
            size > 0 && size <= AssetPage.largestPicture
            ? "<img src=\"\(address)\" alt=\"\" loading=\"lazy\" class=\"thumbnail\">" : .empty
        return "<a class=\"asset\" href=\"\(address)\">\(picture)\(size.counted("byte"))</a>"
    }
}
