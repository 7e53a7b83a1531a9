extension StoredAsset: Coded {
    static func read(from reader: inout JSONReader) throws(CabinetError) -> StoredAsset {
        guard let asset = StoredAsset(try reader.readText()) else {
            throw reader.unexpected("a checksum and a size before here")
        }
        return asset
    }

    func write(to writer: inout JSONWriter) { writer.write(description) }
}

extension StoredAsset: ServiceValue {
    /// The coding as JSON.
    public static var coding: ServiceCoding<Self> { ServiceCoding() }
}
