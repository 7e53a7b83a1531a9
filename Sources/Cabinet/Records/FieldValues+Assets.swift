extension FieldValues {
    /// Whether a field has an asset.
    var hasAssets: Bool {
        values.withUnsafeBufferPointer { values in
            for position in values.indices {
                if case .asset? = values[position] { return true }
                if case .list(.asset(let assets))? = values[position], !assets.isEmpty { return true }
            }
            return false
        }
    }

    /// The assets in fields and lists.
    package var assets: [(key: Record.FieldKey, asset: Asset)] {
        var assets: [(Record.FieldKey, Asset)] = []
        guard hasAssets else { return assets }
        forEach { key, value in
            switch value {
            case .asset(let asset): assets.append((key, asset))
            case .list(.asset(let list)): assets += list.map { (key, $0) }
            default: break
            }
        }
        return assets
    }

    /// The assets in a store that fields and lists have, which is what a backend keeps the bytes of.
    public var storedAssets: Set<StoredAsset> {
        Set(assets.compactMap(\.asset.stored))
    }

    /// The fields with other assets.
    func replacingAssets(_ replacement: (Asset) -> Asset) -> FieldValues {
        let values = values.map { value in
            switch value {
            case .asset(let asset): FieldValue.asset(replacement(asset))
            case .list(.asset(let assets)): FieldValue.list(.asset(assets.map(replacement)))
            default: value
            }
        }
        return FieldValues(names: names, values: values, isComplete: isComplete)
    }
}

extension Record {
    /// Returns the same record with other assets; a record as a backend returned it counts as unchanged still.
    func replacingAssets(_ transform: (Asset) -> Asset) -> Record {
        guard fields.hasAssets else { return self }
        if var stored = unchanged {
            stored.fields = stored.fields.replacingAssets(transform)
            return Record(stored)
        }
        var record = self
        record.mutate { $0.fields = $0.fields.replacingAssets(transform) }
        return record
    }
}
