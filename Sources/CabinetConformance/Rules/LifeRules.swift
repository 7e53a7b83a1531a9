import Cabinet

extension ConformanceRule {
    /// The rules about abilities, and about the identity of a store's life.
    static let lives: [ConformanceRule] = [
        ConformanceRule(
            .storage, "every view has the same abilities",
            law:
                "A backend, and each of its views, has the same abilities while it lives; assets in both or in neither.",
            source: .storage("StorageSnapshot.abilities")
        ) { world in
            let backend = world.backend
            let abilities = AbilityNames(backend.abilities)
            var views: [AbilityNames] = []
            for _ in 0..<2 {
                for database in [DatabaseKey.public, .private(owner: "new")] {
                    views.append(try await backend.read(database) { AbilityNames($0.abilities) })
                    views.append(
                        try await backend.write(database) { transaction in
                            let before = AbilityNames(transaction.abilities)
                            try await transaction.apply([.addFields([], to: "Type\(database == .public ? "A" : "B")")])
                            try expect(
                                "The abilities after an apply", AbilityNames(transaction.abilities), equals: before)
                            return before
                        })
                }
            }
            for view in views { try expect("The abilities of a view", view, equals: views[0]) }
            try expect("The backend's abilities", AbilityNames(backend.abilities), equals: abilities)
            try expect(
                "Whether views read assets", views[0].names.contains("assets"),
                equals: abilities.names.contains("assets"))
        },
        ConformanceRule(
            .storage, "the origin stays the same while the store is open",
            law:
                "A snapshot has no origin. All transactions of a store that stays open have the same one, of at most 200 ASCII bytes.",
            source: .storage("StorageValues.origin")
        ) { world in
            let backend = world.backend
            var origins: [String?] = []
            for number in 0..<4 {
                let (before, after) = try await backend.write(.public) { transaction in
                    let before = try await transaction.load(StorageKeys()).origin
                    try await transaction.store([("r\(number)", 1)])
                    return (before, try await transaction.load(StorageKeys(records: [.named("r0")])).origin)
                }
                try expect("The origin after an apply", after, equals: before)
                origins.append(before)
                let inSnapshot = try await backend.read(.public) { try await $0.load(StorageKeys()).origin }
                try expect("The origin in a snapshot", inSnapshot, equals: nil)
            }
            for origin in origins { try expect("The origin", origin, equals: origins[0]) }
            let text = (origins[0] ?? "").utf8
            try expect(
                text.count <= 200 && text.allSatisfy { (0x20..<0x7F).contains($0) },
                "The origin is '\(origins[0] ?? "")'.")
        },
        ConformanceRule(
            .durability, "a reopened store has another origin",
            law: "After a store was closed, where an older copy can replace it, and reopened, its origin is different.",
            source: .storage("StorageValues.origin"), needsReopening: true, needsFiles: true
        ) { world in
            var origins: [String] = []
            func visit(_ world: ConformanceWorld, _ openings: Int) async throws {
                let origin = try await world.backend.write(.public) { transaction in
                    try await transaction.store([("r\(openings)", 1)])
                    return try await transaction.load(StorageKeys()).origin
                }
                guard let origin else { return }
                try expect(!origins.contains(origin), "The origin '\(origin)' was reused.")
                origins.append(origin)
                if openings > 1 { try await world.reopened { try await visit($0, openings - 1) } }
            }
            try await visit(world, 3)
        },
    ]
}

/// The names of a set of abilities.
private struct AbilityNames: Equatable, Sendable {
    let names: Set<String>

    init(_ abilities: StorageAbilities) {
        names = Set(
            [
                abilities.signals == nil ? nil : "signals", abilities.databases == nil ? nil : "databases",
                abilities.assets == nil ? nil : "assets", abilities.maintenance == nil ? nil : "maintenance",
            ].compactMap(\.self))
    }

    init(_ abilities: SnapshotAbilities) {
        names = Set(
            [abilities.aggregates == nil ? nil : "aggregates", abilities.assets == nil ? nil : "assets"]
                .compactMap(\.self))
    }
}
