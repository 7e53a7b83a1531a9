/// Zones, and which of them have changed.
extension DatabaseVerification {
    /// Checks what is known of a zone against the changes in it.
    func checkNumbers(of zoneID: RecordZone.ID, last: Int64) {
        counts.zones += 1
        func add(_ message: String, isRepairable: Bool = false) {
            log.add(StoredDamage(.zone, message, zoneID: zoneID, isRepairable: isRepairable))
        }
        guard let stored = zones[zoneID], let zone = stored else {
            // The default zone is there as soon as something has changed in it.
            if last > 0 {
                add("Something has changed in the default zone, and nobody who asks is told so.", isRepairable: true)
            }
            return
        }
        if zoneID != .default, let complaint = NameRule.zoneName.complaint(about: zoneID.zoneName) {
            add("\(complaint) Copy its records into another zone.")
        }
        if zone.changeNumber < last {
            add(
                "The zone says that it was changed last by number \(zone.changeNumber), and in it is a change with number \(last): "
                    + "who asks which zones have changed is not told of it.", isRepairable: true)
        }
        if zone.changeNumber > lastSequenceNumber {
            add(
                "The zone was changed last by number \(zone.changeNumber), and the last that was given out is "
                    + "\(lastSequenceNumber).", isRepairable: true)
        }
        let isPossible =
            zone.creationNumber >= 0 && zone.creationNumber <= zone.changeNumber && zone.expirationNumber >= 0
            && zone.expirationNumber <= max(lastSequenceNumber, zone.changeNumber)
        if !isPossible {
            add(
                "The zone's numbers cannot be: made by \(zone.creationNumber), changed by \(zone.changeNumber), deletions "
                    + "forgotten up to \(zone.expirationNumber). Copy its records into a new zone.")
        }
    }

    /// Checks which zones are told to have changed.
    func checkZones() async throws {
        var untold = zones.compactMapValues(\.self).filter { $0.value.changeNumber > 0 }
        var place: Int64 = 0
        while let page = try await attempt(
            "Which zones have changed", await snapshot.zoneChanges(after: place, limit: Self.pageSize))
        {
            for change in page {
                guard change.sequenceNumber > place || change == page.first else { continue }
                if case .changed(let zone) = change {
                    if let known = untold.removeValue(forKey: zone.zoneID), known == zone { continue }
                    log.add(
                        StoredDamage(
                            .zone, "The changed zones are told to have one that is not there, or is another.",
                            zoneID: zone.zoneID, isRepairable: true))
                }
            }
            guard page.count == Self.pageSize, let last = page.last?.sequenceNumber, last > place else { break }
            // Zones that were changed by one transaction have one number.
            let isWhole = page.first?.sequenceNumber == last
            place = isWhole ? last : last - 1
            if !isWhole {
                for case .changed(let zone) in page where zone.changeNumber == last { untold[zone.zoneID] = zone }
            }
        }
        for zoneID in zoneIDs where untold[zoneID] != nil {
            log.add(
                StoredDamage(
                    .zone, "The changed zones do not have this one, which was changed.", zoneID: zoneID,
                    isRepairable: true))
        }
    }
}
