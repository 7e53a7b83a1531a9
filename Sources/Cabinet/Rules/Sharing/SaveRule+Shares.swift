/// The kind of change that a batch makes to the shares among its records.
enum ShareChange: Sendable, Hashable {
    /// It saves what the owner or an administrator has changed.
    ///
    /// A new share gets the part of its URL that its root or its zone has.
    case save(ShareShortGUIDs)
    /// It adds the acceptance of the user that sends it, who may have opened the one-time URL of a participant.
    case accept(acceptanceID: String, participantID: String?)
    /// It adds the user that sends it to those that ask for access.
    case ask
    /// It removes the user that sends it.
    case leave
}

/// The last parts of the URLs that a batch gives to new shares, and to new participants with one-time URLs.
struct ShareShortGUIDs: Sendable, Hashable {
    var ofShares: [RecordID: String] = [:]
    var ofParticipants: [String: String] = [:]
    /// The address of a server before the short GUIDs; `nil` for URLs that containers of the store alone understand.
    var baseURL: String?
}

extension SaveRule {
    /// Returns a share as the server will have it, without a sequence number.
    ///
    /// - Parameters:
    ///   - client: The client's share.
    ///   - server: The server's share, if it has one.
    /// - Throws: The errors of a save, ``CabinetError/Code/permissionFailure`` if the user may not change the share, and those of
    ///   ``ShareRule``.
    func mergeShare(_ client: Record, into server: StoredRecord?) throws(CabinetError) -> StoredRecord {
        guard case .private(let owner) = database else {
            throw CabinetError(
                .badDatabase, "Only a zone of the private database can be shared.", recordID: client.recordID)
        }
        let stored = try ShareContent(server)
        guard case .save(let shortGUIDs) = shareChange else {
            guard var draft = server, let stored else { throw ShareRule.unknown }
            let content: ShareContent
            switch shareChange {
            case .accept(let acceptanceID, let participantID):
                content = try ShareRule.accepted(
                    by: user, stored, acceptanceID: acceptanceID, as: participantID, client.recordID, now: now)
            case .ask: content = try ShareRule.asked(by: user, stored, client.recordID)
            default: content = ShareRule.left(by: user, stored)
            }
            content.store(in: &draft.fields)
            draft.modificationDate = now
            draft.lastModifierName = user
            return draft
        }
        if let access = permissions.access, !access.canChangeShare(client.recordID) {
            throw CabinetError(
                .permissionFailure, "Only the owner and administrators with write permission change a share.",
                recordID: client.recordID)
        }
        var draft = try merge(client, into: server)
        // The root never changes.
        let root = ShareContent.root(in: (server ?? draft).fields)
        if root == nil, !ShareRule.isZoneWide(client.recordID) {
            throw CabinetError(
                .invalidArguments,
                "A share covers a record, as Share(rootRecord:), or a whole zone, as Share(recordZoneID:), and this one covers none.",
                recordID: client.recordID)
        }
        guard let shortGUID = stored?.shortGUID ?? shortGUIDs.ofShares[client.recordID] else {
            throw CabinetError(
                .zoneNotFound, "The zone has no URL for its share. Save the share again.", recordID: client.recordID)
        }
        draft.fields[Share.SystemFieldKey.rootRecord] = root.map {
            .reference(Reference(recordID: $0, action: .deleteSelf))
        }
        let sent = try ShareContent(draft.fields, of: client.recordID)
        try ShareRule.saved(
            sent, replacing: stored, owner: owner,
            urlText: shortGUIDs.baseURL.map { "\($0)/\(shortGUID)" } ?? shortGUID,
            oneTimeShortGUIDs: shortGUIDs.ofParticipants, client.recordID, now: now
        ).store(in: &draft.fields)
        return draft
    }
}
