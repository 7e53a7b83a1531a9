import Cabinet

/// The records of one zone, its shares and their participants, as dictionaries: what each user sees and may do.
struct HierarchyModel: Sendable {
    struct Node: Sendable, Equatable {
        var type: String
        var number: Int
        var parent: String?
        /// A record that this one refers to, without a rule.
        var link: String?
        /// A record whose deletion deletes this one.
        var owner: String?
    }

    struct SharedRoot: Sendable {
        let root: String
        /// The permissions of the invited users, by name.
        var permissions: [String: Share.ParticipantPermission] = [:]
        var accepted: Set<String> = []
    }

    var nodes: [String: Node] = [:]
    var shares: [String: SharedRoot] = [:]
    /// Every name that a record has had.
    var names: [String] = []
}

extension HierarchyModel {
    func share(withRoot name: String) -> String? { shares.first { $0.value.root == name }?.key }

    /// The share that covers a record: that of the nearest root above it.
    func share(covering name: String?) -> String? {
        var seen: Set<String> = []
        var current = name
        while let name = current, let node = nodes[name], seen.insert(name).inserted {
            if let share = share(withRoot: name) { return share }
            current = node.parent
        }
        return nil
    }

    /// Whether no share covers the root of another one.
    var isValid: Bool {
        shares.allSatisfy { share, shared in
            let above = self.share(covering: nodes[shared.root]?.parent)
            return above == nil || above == share
        }
    }

    func sees(_ name: String, _ user: String) -> Bool {
        share(covering: name).flatMap { shares[$0]?.accepted.contains(user) } ?? false
    }

    func changes(_ name: String, _ user: String) -> Bool {
        sees(name, user) && share(covering: name).flatMap { shares[$0]?.permissions[user] } == .readWrite
    }

    /// The records that a user sees, by name.
    func view(of user: String) -> [String: Node] { nodes.filter { sees($0.key, user) } }

    /// The shares that a user has accepted.
    func acceptedShares(of user: String) -> Set<String> { Set(shares.filter { $0.value.accepted.contains(user) }.keys) }

    /// The records that are deleted with one.
    func cascade(_ name: String) -> Set<String> {
        var cascade: Set<String> = [name]
        while true {
            let next = nodes.filter { node in
                !cascade.contains(node.key) && node.value.owner.map(cascade.contains) == true
            }
            if next.isEmpty { return cascade }
            cascade.formUnion(next.keys)
        }
    }

    /// The children that remain without their parents if records are deleted.
    private func orphans(_ deletions: Set<String>) -> Bool {
        nodes.contains { !deletions.contains($0.key) && $0.value.parent.map(deletions.contains) == true }
    }

    mutating func remove(_ deletions: Set<String>) {
        for name in deletions { nodes[name] = nil }
        shares = shares.filter { !deletions.contains($0.value.root) }
    }
}

extension HierarchyModel {
    /// Returns the error of a save by a participant; `nil` if it succeeds.
    func failure(saving name: String, _ new: Node, by user: String) -> CabinetError.Code? {
        if acceptedShares(of: user).isEmpty { return .zoneNotFound }
        var after = self
        after.nodes[name] = new
        let parent = new.parent
        guard sees(name, user) else {
            let isNew = nodes[name] == nil
            return isNew && parent.map { changes($0, user) } == true ? nil : .permissionFailure
        }
        if !changes(name, user) { return .permissionFailure }
        guard let parent, parent != nodes[name]?.parent else { return nil }
        if sees(parent, user), !after.isValid { return .alreadyShared }
        // A record that moves below itself leaves the hierarchy with its new parent.
        return after.changes(parent, user) ? nil : .permissionFailure
    }

    /// Returns the error of a deletion by a user; `nil` if it succeeds.
    ///
    /// - Parameter user: A participant; `nil` for the owner.
    func failure(deleting name: String, by user: String?) -> CabinetError.Code? {
        let cascade = cascade(name)
        guard let user else { return orphans(cascade) ? .referenceViolation : nil }
        if acceptedShares(of: user).isEmpty { return .zoneNotFound }
        guard sees(name, user) else { return nil }
        if !changes(name, user) || share(withRoot: name) != nil { return .permissionFailure }
        for (other, node) in nodes where other != name {
            let isDeleted = node.owner.map(cascade.contains) == true
            if !isDeleted, node.parent.map(cascade.contains) != true { continue }
            if !changes(other, user) || isDeleted && share(withRoot: other) != nil { return .permissionFailure }
        }
        return orphans(cascade) ? .referenceViolation : nil
    }
}
