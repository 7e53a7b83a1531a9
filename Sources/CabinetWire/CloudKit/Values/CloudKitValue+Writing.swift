import Cabinet
import Foundation

/// Writes the values of fields.
struct CloudKitValueWriter {
    /// The record name of the caller, which stands for the owner of the caller's own zones.
    var userRecordName: String?
    /// Whether numbers are texts, for readers without integers of 64 bits.
    var numbersAsStrings = false
    /// Whether references have their actions, which those of a query lack.
    var writesActions = true
    /// Returns the download URL of an asset.
    var downloadURL: (StoredAsset) -> String? = { _ in nil }

    /// Returns what a server has answered to the upload of an asset.
    var receipt: (StoredAsset) -> AssetReceipt? = { _ in nil }

    /// Writes a value with its type: `{"value": …, "type": …}`.
    func write(_ value: FieldValue, to writer: inout JSONWriter) throws(CabinetError) {
        try writer.object { writer throws(CabinetError) in
            writer.key("value")
            try writeContent(value, to: &writer)
            writer.member("type", CloudKitType.name(of: value.fieldType))
        }
    }

    /// Writes a value without its type.
    func writeContent(_ value: FieldValue, to writer: inout JSONWriter) throws(CabinetError) {
        switch value {
        case .string(let text): writer.write(text)
        case .int64(let number): if numbersAsStrings { writer.write("\(number)") } else { writer.write(number) }
        case .double(let number): if numbersAsStrings { writer.write("\(number)") } else { writer.write(number) }
        case .timestamp(let date): writer.write(date.milliseconds)
        case .bytes(let data): writer.write(data)
        case .reference(let reference): try write(reference, to: &writer)
        case .location(let location): try write(location, to: &writer)
        case .asset(let asset): try write(asset, to: &writer)
        case .encrypted(let value):
            guard let ciphertext = value.ciphertext else {
                throw CabinetError(.invalidArguments, "A value of type \(value.fieldType) was not encrypted.")
            }
            writer.write(ciphertext)
        case .list(let list):
            try writer.array { writer throws(CabinetError) in
                for element in list.elements { try writeContent(element, to: &writer) }
            }
        }
    }

    private func write(_ reference: Reference, to writer: inout JSONWriter) throws(CabinetError) {
        try writer.object { writer throws(CabinetError) in
            writer.member("recordName", reference.recordID.recordName)
            // The service knows no rule that removes a reference.
            let action =
                switch reference.action {
                case .none, .nullify: "NONE"
                case .deleteSelf: "DELETE_SELF"
                case .deny: "VALIDATE"
                }
            if writesActions { writer.member("action", action) }
            try writer.zone(reference.recordID.zoneID, userRecordName)
        }
    }

    private func write(_ location: Location, to writer: inout JSONWriter) throws(CabinetError) {
        try writer.object { writer throws(CabinetError) in
            func member(_ key: StaticString, _ number: Double?) {
                guard let number else { return }
                writer.key(key)
                writer.write(number)
            }
            member("latitude", location.latitude)
            member("longitude", location.longitude)
            member("altitude", location.altitude)
            member("horizontalAccuracy", location.horizontalAccuracy)
            member("verticalAccuracy", location.verticalAccuracy)
            member("speed", location.speed)
            member("course", location.course)
            if let date = location.timestamp { writer.member("timestamp", date.milliseconds) }
        }
    }

    private func write(_ asset: Asset, to writer: inout JSONWriter) throws(CabinetError) {
        guard let stored = asset.stored else {
            throw CabinetError(.invalidArguments, "The asset '\(asset)' was not uploaded.")
        }
        try writer.object { writer throws(CabinetError) in
            if let receipt = receipt(stored) { return receipt.write(to: &writer) }
            writer.asset(stored)
            if let url = downloadURL(stored) { writer.member("downloadURL", url) }
        }
    }
}

extension JSONWriter {
    /// Writes the members of an asset that say what its bytes are.
    mutating func asset(_ asset: StoredAsset) {
        member("fileChecksum", Data(asset.checksum.bytes).base64EncodedString())
        member("size", asset.size)
    }

    /// Writes the member `zoneID`.
    ///
    /// - Parameter userRecordName: The record name of the owner of the caller's own zones.
    mutating func zone(_ zoneID: RecordZone.ID, _ userRecordName: String?) throws(CabinetError) {
        let isOwn = zoneID.ownerName == RecordZone.ID.defaultOwnerName
        try member("zoneID") { writer throws(CabinetError) in
            writer.member("zoneName", zoneID.zoneName)
            writer.member("ownerRecordName", isOwn ? userRecordName ?? zoneID.ownerName : zoneID.ownerName)
            let isDefault = zoneID.zoneName == RecordZone.ID.defaultZoneName
            writer.member("zoneType", isDefault ? "DEFAULT_ZONE" : "REGULAR_CUSTOM_ZONE")
        }
    }
}

extension Date {
    /// The number of milliseconds since 1970, rounded.
    var milliseconds: Int64 {
        let number = (timeIntervalSince1970 * 1000).rounded()
        return Int64(exactly: number) ?? (number > 0 ? .max : .min)
    }

    /// Creates a date from a number of milliseconds since 1970, rounded to a whole one.
    init(milliseconds: Double) {
        self.init(timeIntervalSince1970: milliseconds.rounded() / 1000)
    }
}
